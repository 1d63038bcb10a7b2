/* A library that comes and goes. */

#include <stdlib.h>

static void *kept;

__attribute__((constructor)) static void comes(void)
{
    kept = malloc(100000);
}

__attribute__((destructor)) static void goes(void)
{
    free(kept);
}

int leaf(size_t bytes)
{
    void *block = malloc(bytes);
    int right = block != NULL;
    free(block);
    return right;
}
