// SPDX-License-Identifier: MIT
#include "gpu/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/input_file.h"

// What the file begins with; the binary follows.
typedef struct Header {
    char magic[8];
    uint64_t key, bytes, checksum;
} Header;

static const char magic[8] = "WIRBELP1";

typedef struct Binary {
    unsigned char *data;
    size_t bytes;
} Binary;

static bool findFolder(char *folder, size_t size) {
    const char *own = getenv("WIRBEL_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (own) {
        length = snprintf(folder, size, "%s", own);
    } else if (cache && *cache == '/') { // a relative one is to be ignored, says the XDG specification
        length = snprintf(folder, size, "%s/wirbel", cache);
    } else if (home && *home) {
        length = snprintf(folder, size, "%s/.cache/wirbel", home);
    } else {
        return false;
    }
    return length > 0 && length < (int)size;
}

static uint64_t hashText(uint64_t hash, const char *text) {
    return wbHashBytes(hash, text, strlen(text) + 1); // with its end, so that two texts are not one
}

static uint64_t hashProgram(uint64_t hash, const wbGpu *gpu, const char *source, const char *options) {
    const wbDevice *device = &gpu->device;
    const char *const texts[] = {device->name,     gpu->vendor,          device->driver, device->version,
                                 device->platform, gpu->platformVersion, options,        source};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) hash = hashText(hash, texts[i]);
    return hash;
}

void wbFindCache(const wbGpu *gpu, const char *source, const char *options, wbGpuCache *cache) {
    char folder[960];
    cache->path[0] = 0;
    if (!findFolder(folder, sizeof folder)) return;
    // the name and the key inside are different hashes: 128 bits together
    uint64_t name = hashProgram(WB_HASH_START, gpu, source, options);
    cache->key = hashProgram(~WB_HASH_START, gpu, source, options);
    snprintf(cache->path, sizeof cache->path, "%s/%016llx.program", folder, (unsigned long long)name);
}

static void freeBinary(wbGpu *gpu, Binary *binary) { wbFree(gpu->memory, binary->data, binary->bytes); }

static bool readContent(wbGpu *gpu, FILE *file, size_t size, uint64_t key, Binary *binary) {
    Header header;
    if (fread(&header, sizeof header, 1, file) != 1) return false;
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.key != key) return false;
    if (header.bytes != size - sizeof header) return false;
    binary->data = wbAlloc(gpu->memory, header.bytes);
    if (!binary->data) return false;
    binary->bytes = header.bytes;
    if (fread(binary->data, 1, binary->bytes, file) == binary->bytes &&
        wbHashBytes(WB_HASH_START, binary->data, binary->bytes) == header.checksum) {
        return true;
    }
    freeBinary(gpu, binary);
    return false;
}

static bool readBinary(wbGpu *gpu, const wbGpuCache *cache, Binary *binary) {
    FILE *file;
    size_t size;
    if (!*cache->path || !wbIsOk(wbOpenInput(cache->path, &file, &size))) return false;
    bool complete = readContent(gpu, file, size, cache->key, binary);
    fclose(file);
    return complete;
}

cl_program wbLoadCached(wbGpu *gpu, const wbGpuCache *cache, const char *options) {
    const wbOpenCl *cl = &gpu->cl;
    Binary binary;
    if (!readBinary(gpu, cache, &binary)) return NULL;
    const unsigned char *data = binary.data;
    cl_int status, code;
    cl_program program =
        cl->clCreateProgramWithBinary(gpu->context, 1, &gpu->id, &binary.bytes, &data, &status, &code);
    freeBinary(gpu, &binary);
    if (!program) return NULL;
    if (status == CL_SUCCESS && cl->clBuildProgram(program, 1, &gpu->id, options, NULL, NULL) == CL_SUCCESS) {
        return program;
    }
    cl->clReleaseProgram(program);
    return NULL;
}

static bool getBinary(wbGpu *gpu, cl_program program, Binary *binary) {
    const wbOpenCl *cl = &gpu->cl;
    size_t bytes = 0;
    if (cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS) {
        return false;
    }
    *binary = (Binary){wbAlloc(gpu->memory, bytes), bytes};
    if (!binary->data) return false;
    if (cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary->data, &binary->data, NULL) ==
        CL_SUCCESS) {
        return true;
    }
    freeBinary(gpu, binary);
    return false;
}

static void makeFolders(const char *path) {
    char folder[1024];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0700);
    }
}

static bool writeContent(FILE *file, const Header *header, const Binary *binary) {
    bool written = fwrite(header, sizeof *header, 1, file) == 1 &&
                   fwrite(binary->data, 1, binary->bytes, file) == binary->bytes;
    return (fclose(file) == 0) & written;
}

// Beside, then renamed: other programs see the whole file or none.
static void writeBinary(const wbGpuCache *cache, const Binary *binary) {
    Header header = {.key = cache->key, .bytes = binary->bytes};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = wbHashBytes(WB_HASH_START, binary->data, binary->bytes);
    char part[sizeof cache->path + 8];
    snprintf(part, sizeof part, "%s.XXXXXX", cache->path);
    makeFolders(cache->path);
    int descriptor = mkstemp(part);
    if (descriptor < 0) return;
    FILE *file = fdopen(descriptor, "wb");
    if (!file) close(descriptor);
    if (!file || !writeContent(file, &header, binary) || rename(part, cache->path) != 0) unlink(part);
}

void wbStoreCached(wbGpu *gpu, const wbGpuCache *cache, cl_program program) {
    Binary binary;
    if (!*cache->path || !getBinary(gpu, program, &binary)) return;
    writeBinary(cache, &binary);
    freeBinary(gpu, &binary);
}
