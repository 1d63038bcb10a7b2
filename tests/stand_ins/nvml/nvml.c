/* A stand-in of the driver's library for GPUs of NVIDIA's. A file that NVML_SAYS names has a line for each thing that it says:
 *   gpu INDEX UUID NAME TOTAL FREE RESERVED CUT
 *   process INDEX PID BYTES
 *   init CODE
 *   hangs
 * It is read anew at each call. NVML_ASKED names a file to which setting up and shutting down are written.
 * Compiled with -DOLD it lacks what old drivers lack; ENTRY is the size of an entry in the list of processes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ENTRY
#define ENTRY 24
#endif

typedef unsigned long long bytes;
struct gpu { unsigned index; char uuid[64], name[64]; bytes total, free, reserved; unsigned cut; };

static struct gpu found[16];

static FILE *says(void) {
    const char *file = getenv("NVML_SAYS");
    return file ? fopen(file, "r") : NULL;
}

static void asked(const char *what) {
    const char *file = getenv("NVML_ASKED");
    FILE *out = file ? fopen(file, "a") : NULL;
    if (out) {
        fprintf(out, "%s\n", what);
        fclose(out);
    }
}

static unsigned look(void) {
    char line[256];
    unsigned count = 0;
    FILE *in = says();
    while (in && count < 16 && fgets(line, sizeof line, in)) {
        struct gpu *to = &found[count];
        count += sscanf(line, "gpu %u %63s %63s %llu %llu %llu %u", &to->index, to->uuid, to->name,
                        &to->total, &to->free, &to->reserved, &to->cut) == 7;
    }
    if (in)
        fclose(in);
    return count;
}

static struct gpu *of(void *device) {
    look();
    return device;
}

int nvmlInit_v2(void) {
    char line[256];
    int code = 0;
    FILE *in = says();
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, "hangs", 5) == 0)
            pause();
        else
            sscanf(line, "init %d", &code);
    if (in)
        fclose(in);
    asked("init");
    return code;
}

int nvmlShutdown(void) {
    asked("shutdown");
    return 0;
}

#ifndef NO_COUNT
int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = look();
    return 0;
}
#endif

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    *device = &found[index];
    return index < look() ? 0 : 2;
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
    snprintf(text, length, "%s", of(device)->uuid);
    return 0;
}

int nvmlDeviceGetName(void *device, char *text, unsigned length) {
    snprintf(text, length, "%s", of(device)->name);
    return 0;
}

struct memory { bytes total, free, used; };

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory) {
    struct gpu *gpu = of(device);
    *memory = (struct memory){gpu->total, gpu->free, gpu->total - gpu->free};
    return 0;
}

#ifndef OLD
struct memory_2 { unsigned version; bytes total, reserved, free, used; };

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_2 *memory) {
    struct gpu *gpu = of(device);
    if (memory->version != (sizeof *memory | 2 << 24))
        return 25;
    *memory = (struct memory_2){memory->version, gpu->total, gpu->reserved, gpu->free,
                                gpu->total - gpu->free - gpu->reserved};
    return 0;
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later) {
    *now = *later = of(device)->cut;
    return 0;
}
#define LIST nvmlDeviceGetComputeRunningProcesses_v3
#else
#define LIST nvmlDeviceGetComputeRunningProcesses
#endif

int LIST(void *device, unsigned *count, void *list) {
    char line[256];
    unsigned index, pid, room = *count;
    bytes held;
    FILE *in = says();
    *count = 0;
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "process %u %u %llu", &index, &pid, &held) != 3 || index != of(device)->index)
            continue;
        if (*count == room)
            return 7;
        char *entry = (char *)list + (*count)++ * ENTRY;
        memset(entry, 0, ENTRY);
        memcpy(entry, &pid, sizeof pid);
        memcpy(entry + 8, &held, sizeof held);
    }
    if (in)
        fclose(in);
    return 0;
}
