/* Nanoseconds per malloc and free, the least of several rounds: what lies above it is the machine's doing. */

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *volatile seen;

/* A pair of one size, over and over. */
double hot_pair_ns(size_t size, long turns, int rounds)
{
    double least = 1e30;
    for (int round = 0; round < rounds; round++) {
        double begun = now();
        for (long i = 0; i < turns; i++) {
            void *block = malloc(size);
            seen = block;
            free(block);
        }
        double each = (now() - begun) / (double)turns;
        least = each < least ? each : least;
    }
    return least;
}

/* Pairs within a working set of 20,000 blocks of 16 to 1040 bytes. */
double set_pair_ns(size_t unused, long turns, int rounds)
{
    (void)unused;
    static void *blocks[20000];
    double least = 1e30;
    unsigned state = 1;
    for (int round = 0; round < rounds; round++) {
        double begun = now();
        for (long i = 0; i < turns; i++) {
            state = state * 1664525u + 1013904223u;
            unsigned slot = (unsigned)(((unsigned long long)state * 20000) >> 32);
            free(blocks[slot]);
            blocks[slot] = malloc(16 + (state & 1023));
        }
        double each = (now() - begun) / (double)turns;
        least = each < least ? each : least;
    }
    return least;
}
