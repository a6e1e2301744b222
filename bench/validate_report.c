// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "bench/validate_case.h"
#include "core/output_file.h"
#include "core/status.h"

void wbPrintQuantityHeader(FILE *out) {
    fprintf(out, "%-16s %-40s %12s %10s %10s %-12s %-6s %s\n", "case", "quantity", "value", "reference",
            "tolerance", "unit", "result", "source");
}

// What a quantity is held against, in words.
typedef struct Demand {
    char reference[32], tolerance[32];
} Demand;

static Demand describeDemand(const wbQuantity *q) {
    Demand demand = {"-", "-"};
    if (q->judgement != wb_noted) snprintf(demand.reference, sizeof demand.reference, "%.4g", q->reference);
    if (q->judgement == wb_atLeast) snprintf(demand.tolerance, sizeof demand.tolerance, "or more");
    if (q->judgement == wb_within) snprintf(demand.tolerance, sizeof demand.tolerance, "%.2g", q->tolerance);
    return demand;
}

static const char *const resultNames[] = {"pass", "noted", "miss", "fail"};
static const char *const loudNames[] = {"pass", "noted", "miss", "FAIL"};
static const char *const pageNames[] = {"pass", "noted", "**miss**", "**fail**"};

void wbPrintQuantity(const wbQuantity *q, FILE *out) {
    Demand demand = describeDemand(q);
    fprintf(out, "%-16s %-40s %12.4g %10s %10s %-12s %-6s %s\n", q->name, q->quantity, q->value,
            demand.reference, demand.tolerance, q->unit, loudNames[q->result], q->source);
}

// JSON has no word for what is not a number.
static void printNumber(const char *key, double value, FILE *out) {
    if (isfinite(value)) {
        fprintf(out, ", \"%s\": %.7g", key, value);
    } else {
        fprintf(out, ", \"%s\": null", key);
    }
}

void wbPrintQuantityJson(const wbQuantity *q, FILE *out) {
    fprintf(out, "{\"name\": \"%s\", \"quantity\": \"%s\", \"unit\": \"%s\"", q->name, q->quantity, q->unit);
    printNumber("value", q->value, out);
    printNumber("reference", q->judgement == wb_noted ? NAN : q->reference, out);
    printNumber("tolerance", q->judgement == wb_within ? q->tolerance : NAN, out);
    fprintf(out, ", \"pass\": %s, \"result\": \"%s\", \"backend\": \"%s\", \"source\": \"%s\"}\n",
            q->result <= wb_resultNoted ? "true" : "false", resultNames[q->result], q->backend, q->source);
}

// A bar would split the cell of the table.
static void writeCell(const char *text, FILE *file) {
    for (fputs(" ", file); *text != '\0'; text++) {
        if (*text == '|') fputc('\\', file);
        fputc(*text, file);
    }
    fputs(" |", file);
}

static void writePage(const wbValidateRun *run, FILE *file) {
    fprintf(
        file,
        "# Validation\n\n"
        "Written by `make validate`: what the solvers give, beside closed forms and published experiments.\n"
        "A quantity passes if it differs from its reference by no more than its tolerance, and fails if not. "
        "With "
        "`or more` it\npasses from its reference upwards; of what is noted nothing is asked. A **miss** is a "
        "failure "
        "that is known and understood:\nit must neither pass nor become worse by a tenth than the worst that "
        "was recorded (bench/validate_known.c). Those that hang on\nrounding, as "
        "some periods of `sph-drop-swing`, differ between instruction sets and devices: they may "
        "pass.\n`wirbel validate --list` says what each case does.\n\n"
        "| case | quantity | unit | %s (%s) | reference | tolerance | result | source |\n"
        "|---|---|---|---|---|---|---|---|\n",
        run->backend, run->machine);
    for (int i = 0; i < run->quantityCount; i++) {
        const wbQuantity *q = &run->quantities[i];
        fputs("|", file);
        writeCell(q->name, file);
        writeCell(q->quantity, file);
        writeCell(q->unit, file);
        Demand demand = describeDemand(q);
        fprintf(file, " %.4g | %s | %s | %s |", q->value, demand.reference, demand.tolerance,
                pageNames[q->result]);
        writeCell(q->source, file);
        fputs("\n", file);
    }
    const int *counts = run->resultCounts;
    fprintf(file, "\n%d pass, %d are missed as is known, %d fail; %d are noted.\n", counts[wb_resultPass],
            counts[wb_resultMiss], counts[wb_resultFail], counts[wb_resultNoted]);
}

wbStatus wbCheckValidationPage(const char *path) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    wbOutputFile_Abort(&file);
    return wb_okStatus;
}

wbStatus wbWriteValidationPage(const wbValidateRun *run) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, run->options->markdownPath));
    writePage(run, file.stream);
    return wbOutputFile_Close(&file);
}
