/* Threads of all kinds: short ones, ones with little stack, ones that never stop allocating. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *short_life(void *argument)
{
    size_t size = (size_t)argument;
    unsigned char *block = malloc(size);
    memset(block, 7, size);
    unsigned char *grown = realloc(block, 2 * size);
    void *right = grown[0] == 7 && grown[size - 1] == 7 ? argument : NULL;
    free(grown);
    return right;
}

/* How many of `count` threads, `together` at a time, found their memory as they had left it. */
int short_threads(int count, int together, size_t stack_bytes, size_t block_bytes)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack_bytes && pthread_attr_setstacksize(&attributes, stack_bytes) != 0)
        return -1;
    int right = 0;
    pthread_t threads[64];
    for (int begun = 0; begun < count; begun += together) {
        for (int i = 0; i < together; i++)
            if (pthread_create(&threads[i], &attributes, short_life, (void *)block_bytes) != 0)
                return -1;
        for (int i = 0; i < together; i++) {
            void *result = NULL;
            pthread_join(threads[i], &result);
            right += result != NULL;
        }
    }
    pthread_attr_destroy(&attributes);
    return right;
}

/* Uses up most of a small stack, then allocates: the recorder must do with what is left. */
static void *deep_life(void *argument)
{
    volatile unsigned char used[40 * 1024];
    for (size_t i = 0; i < sizeof used; i += 512)
        used[i] = (unsigned char)i;
    void *right = NULL;
    for (int i = 0; i < 100; i++) {
        void *block = malloc((size_t)argument);
        right = block ? argument : NULL;
        free(block);
    }
    return used[512] == 0 ? right : NULL;
}

int deep_threads(int count, size_t block_bytes)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    int right = 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, &attributes, deep_life, (void *)block_bytes) != 0)
            return -1;
        pthread_join(thread, &result);
        right += result != NULL;
    }
    return right;
}

static atomic_int stop;
static atomic_ulong turns;

static void *busy(void *argument)
{
    unsigned state = (unsigned)(size_t)argument * 2654435761u + 1;
    void *kept[64] = {0};
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        state = state * 1664525u + 1013904223u;
        unsigned slot = state >> 26;
        free(kept[slot]);
        kept[slot] = malloc(1 + (state >> 8) % (slot == 0 ? 300000 : 3000));
        atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
    }
    for (int i = 0; i < 64; i++)
        free(kept[i]);
    return NULL;
}

static pthread_t busy_threads[16];
static int busy_count;

/* Threads that allocate until `busy_stop`, or until the process ends in the middle of it. */
int busy_start(int count)
{
    for (busy_count = 0; busy_count < count; busy_count++)
        if (pthread_create(&busy_threads[busy_count], NULL, busy, (void *)(size_t)busy_count) != 0)
            return -1;
    while (atomic_load(&turns) < 1000)
        ;
    return 0;
}

void busy_stop(void)
{
    atomic_store(&stop, 1);
    for (int i = 0; i < busy_count; i++)
        pthread_join(busy_threads[i], NULL);
}

/* Forks that only C knows of; each child allocates. How many ended well. */
int raw_forks(int count)
{
    int right = 0;
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (int j = 0; j < 300; j++)
                free(malloc(1 + (size_t)j * 997));
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        right += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    return right;
}

static pthread_key_t key;

static void last_words(void *block)
{
    free(block);
    void *late = malloc(200000); /* after the thread's own memory was handed back */
    free(late);
}

static void *with_key(void *argument)
{
    (void)argument;
    pthread_setspecific(key, malloc(100000));
    return NULL;
}

/* Threads whose destructors allocate and free while they end. */
int threads_with_destructors(int count)
{
    pthread_key_create(&key, last_words);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, with_key, NULL) != 0)
            return -1;
        pthread_join(thread, NULL);
    }
    return count;
}
