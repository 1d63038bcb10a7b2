/* Opens and closes a library over and over, while other threads allocate in it and elsewhere. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const char *library;
static atomic_int wrong;

static void *opens(void *argument)
{
    for (int i = 0; i < (int)(size_t)argument; i++) {
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        int (*leaf)(size_t) = handle ? (int (*)(size_t))dlsym(handle, "leaf") : NULL;
        if (!leaf || !leaf(200000) || dlclose(handle) != 0)
            atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

int open_and_close(const char *path, int turns, int threads)
{
    library = path;
    pthread_t started[16];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&started[i], NULL, opens, (void *)(size_t)turns) != 0)
            return -1;
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return atomic_load(&wrong);
}
