// SPDX-License-Identifier: MIT
// wirbel COMMAND …: finds the command, reads its flags, runs it.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"

static const wbCommand *const commands[] = {
    &wb_runCommand,   &wb_viewCommand,     &wb_checkCommand,   &wb_scenesCommand, &wb_paramsCommand,
    &wb_benchCommand, &wb_validateCommand, &wb_analyzeCommand, &wb_infoCommand,
};
enum { WB_COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void printHelp(FILE *file) {
    fprintf(file, "Wirbel %s: real-time physics of water, smoke, fire, cloth, soft and rigid bodies\n\n",
            wbGetVersion());
    for (int i = 0; i < WB_COMMAND_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "wirbel %s %s", commands[i]->name, commands[i]->operands);
        fprintf(file, "  %-28s %s\n", left, commands[i]->sentence);
    }
    fprintf(file,
            "\n  wirbel COMMAND --help        its flags\n"
            "  wirbel --version\n\n"
            "SCENE is a file, - for stdin, or a name that wirbel scenes lists.\n"
            "Exit codes: 0 done; 1 the run or a validation failed, or a device is missing; 2 bad input or "
            "usage;\n130 stopped by Ctrl-C.\n");
}

static const wbCommand *findCommand(const char *name) {
    const char *names[WB_COMMAND_COUNT];
    for (int i = 0; i < WB_COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
        names[i] = commands[i]->name;
    }
    wbComplain("unknown command \"%s\"%s (wirbel --help lists them)", name,
               wbSuggest(name, names, WB_COMMAND_COUNT));
    return NULL;
}

static void printNotice(wbLogLevel level, const char *message, void *context) {
    (void)level;
    (void)context;
    wbComplain("%s", message);
}

static int runCommand(const wbCommand *command, int count, char **arguments) {
    static wbOptions options;
    if (!wbParseArgs(command, count, arguments, &options)) return WB_EXIT_USAGE;
    if (options.help) {
        wbPrintCommandHelp(command);
        return WB_EXIT_DONE;
    }
    return command->run(&options);
}

static int runNamed(const char *name, int count, char **arguments) {
    if (!name[0]) {
        printHelp(stderr);
        return WB_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        printHelp(stdout);
        return WB_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("wirbel %s\n", wbGetVersion());
        return WB_EXIT_DONE;
    }
    const wbCommand *command = findCommand(name);
    const bool asksHelp =
        count > 0 && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0);
    if (command == &wb_viewCommand && !asksHelp) return wbStartView(count, arguments - 1);
    return command ? runCommand(command, count, arguments) : WB_EXIT_USAGE;
}

int main(int count, char **arguments) {
    wbSetLog(printNotice, NULL);
    signal(SIGXFSZ, SIG_IGN); // a limit of file sizes is an error like a full disk, not a sudden end
    int code = count > 1 ? runNamed(arguments[1], count - 2, arguments + 2) : runNamed("", 0, NULL);
    // a full disk or a closed pipe behind stdout must not look like success; commands flush line by line, so
    // the last flush alone would not tell
    bool failed = fflush(stdout) == EOF || ferror(stdout);
    if (!failed || code != WB_EXIT_DONE) return code;
    wbComplain("cannot write to stdout");
    return WB_EXIT_FAILED;
}
