/* Somebody else's preloaded allocator: it counts, and hands on to the next in line. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_ulong allocations, frees;
static void *(*next_malloc)(size_t);
static void (*next_free)(void *);

unsigned long wrapper_allocations(void)
{
    return atomic_load(&allocations);
}

unsigned long wrapper_frees(void)
{
    return atomic_load(&frees);
}

void *malloc(size_t size)
{
    if (!next_malloc)
        next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    atomic_fetch_add(&allocations, 1);
    return next_malloc(size);
}

void free(void *block)
{
    if (!next_free)
        next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    atomic_fetch_add(&frees, block != NULL);
    next_free(block);
}
