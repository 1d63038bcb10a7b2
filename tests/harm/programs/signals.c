/* Signal handlers that map memory while the program is in the middle of malloc, and handlers on a stack of their own. */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

static atomic_ulong handled;

/* What the standard allows in a handler: system calls. The recorder watches these two. */
static void maps(int signal)
{
    (void)signal;
    int before = errno;
    void *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
        *(volatile char *)pages = 1;
        munmap(pages, 1 << 20);
    }
    errno = before;
    atomic_fetch_add(&handled, 1);
}

/* Allocates under a storm of signals; says how often what it had written was still there. */
int storm(int signal, int timer, int microseconds, int signals)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = maps;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, NULL);
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(timer, &every, NULL);
    unsigned long until = atomic_load(&handled) + (unsigned long)signals;
    unsigned char *kept[256] = {0};
    unsigned state = 1;
    int wrong = 0;
    while (atomic_load(&handled) < until) {
        state = state * 1664525u + 1013904223u;
        unsigned slot = state >> 24;
        if (kept[slot] && kept[slot][0] != (unsigned char)slot)
            wrong++;
        free(kept[slot]);
        kept[slot] = malloc(1 + (state >> 6) % 20000);
        kept[slot][0] = (unsigned char)slot;
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(timer, &never, NULL);
    for (int i = 0; i < 256; i++)
        free(kept[i]);
    return wrong;
}

static atomic_int on_its_stack;
static char *alternate;
static size_t alternate_bytes;

static void allocates(int signal)
{
    (void)signal;
    char here;
    if (&here >= alternate && &here < alternate + alternate_bytes)
        atomic_fetch_add(&on_its_stack, 1);
    /* Raised by the program itself outside malloc, so malloc is allowed. */
    void *block = malloc(500000);
    void *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages, 1 << 20);
    free(block);
}

/* How many of `signals` handlers ran, and returned, on a stack of `bytes`. */
int alternate_stack(size_t bytes, int signals)
{
    alternate_bytes = bytes;
    alternate = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = alternate, .ss_size = bytes, .ss_flags = 0};
    if (sigaltstack(&stack, NULL) != 0)
        return -1;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = allocates;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < signals; i++)
        raise(SIGUSR1);
    return atomic_load(&on_its_stack);
}
