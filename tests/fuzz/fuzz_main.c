// SPDX-License-Identifier: MIT
// Takes libFuzzer's place: runs a target over the files given and all files of the folders given, so that what
// fuzzing has found stays fixed.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

static int runFile(const char *path) {
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    // of its own size, so that a read behind its end shows under the address sanitizer
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) return 0;
    for (size_t i = 0; i < size; i++) copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 1;
}

static int runFolder(const char *folder) {
    DIR *directory = opendir(folder);
    if (!directory) return runFile(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        printf("%s\n", entry->d_name);
        fflush(stdout); // so that the last line names the file that crashed
        count += runFile(path);
    }
    closedir(directory);
    return count;
}

int main(int count, char **arguments) {
    int ran = 0;
    for (int i = 1; i < count; i++) ran += runFolder(arguments[i]);
    printf("%d inputs\n", ran);
    return ran > 0 ? 0 : 1;
}
