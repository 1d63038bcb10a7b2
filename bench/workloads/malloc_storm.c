/* Nothing but malloc and free, of sizes and lifetimes as a program has them. */

#include <pthread.h>
#include <stdlib.h>

static void *storm(void *argument)
{
    long turns = (long)argument;
    unsigned state = 1;
    void *kept[512] = {0};
    for (long i = 0; i < turns; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned slot = (state >> 10) % 512;
        free(kept[slot]);
        kept[slot] = malloc(16 + (state >> 20) % 1008);
        *(volatile char *)kept[slot] = 1;
    }
    for (int i = 0; i < 512; i++)
        free(kept[i]);
    return NULL;
}

int malloc_storm(int threads, long turns)
{
    pthread_t started[64];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&started[i], NULL, storm, (void *)turns) != 0)
            return -1;
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return 0;
}
