// SPDX-License-Identifier: MIT
// Loaded before a program: each allocation that its own code makes through the library's allocator adds a byte to the file that
// WB_ALLOCATIONS names. Those of drivers and of the panels' library are not counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

typedef int AllocateFn(void **block, size_t alignment, size_t bytes);

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    static AllocateFn *next;
    static int file = -1;
    Dl_info caller, program;
    if (!next) next = (AllocateFn *)dlsym(RTLD_NEXT, "posix_memalign");
    if (file < 0 && getenv("WB_ALLOCATIONS"))
        file = open(getenv("WB_ALLOCATIONS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    // its table of segments is part of it
    if (file >= 0 && dladdr((void *)getauxval(AT_PHDR), &program) &&
        dladdr(__builtin_return_address(0), &caller) && caller.dli_fbase == program.dli_fbase)
        (void)!write(file, ".", 1);
    return next(block, alignment, bytes);
}
