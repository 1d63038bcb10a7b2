/* A library that is loaded after the recorder has begun. Its calls are bound at once or at their first time. */
#include <stdlib.h>
#include <string.h>

void *keeps_blocks(int count) {
    void **all = malloc(sizeof(void *) * count);
    for (int at = 0; at < count; at++) {
        all[at] = memset(calloc(1, 20000), 1, 20000);
        if (at % 2) all[at] = realloc(all[at], 30000);
    }
    return all;
}

void gives_back(void **all, int count) {
    for (int at = 0; at < count; at++) free(all[at]);
    free(all);
}
