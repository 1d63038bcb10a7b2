// Allocates as programs seldom do. Each mode ends with the exit code 0 if all its memory was as it should be.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;

static void check(int right, const char *what) {
  if (!right) {
    fprintf(stderr, "wrong: %s\n", what);
    _exit(1);
  }
}

static void fill(unsigned char *at, size_t size, unsigned char with) { memset(at, with, size); }

static void verify(unsigned char *at, size_t size, unsigned char with) {
  for (size_t i = 0; i < size; i++) check(at[i] == with, "contents");
}

static unsigned random_number(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

static void churn(unsigned *state, int rounds) {
  enum { SLOTS = 64 };
  unsigned char *at[SLOTS] = {0};
  size_t size[SLOTS] = {0};
  for (int round = 0; round < rounds; round++) {
    unsigned slot = (random_number(state) >> 16) % SLOTS;
    if (at[slot]) verify(at[slot], size[slot] < 64 ? size[slot] : 64, (unsigned char)slot);
    size_t want = 1 + (random_number(state) >> 8) % (1u << (4 + (random_number(state) >> 20) % 14));
    switch ((random_number(state) >> 24) % 6) {
    case 0: free(at[slot]); at[slot] = malloc(want); break;
    case 1: free(at[slot]); at[slot] = calloc(1, want); if (at[slot]) verify(at[slot], want, 0); break;
    case 2: at[slot] = realloc(at[slot], want); break;
    case 3: free(at[slot]); check(posix_memalign((void **)&at[slot], 64, want) == 0, "posix_memalign");
            check((uintptr_t)at[slot] % 64 == 0, "alignment"); break;
    case 4: free(at[slot]); at[slot] = aligned_alloc(4096, (want + 4095) & ~4095ul); break;
    default: at[slot] = reallocarray(at[slot], want, 1); break;
    }
    check(at[slot] != NULL, "memory");
    check(malloc_usable_size(at[slot]) >= want, "usable size");
    size[slot] = want;
    fill(at[slot], want, (unsigned char)slot);
  }
  for (int slot = 0; slot < SLOTS; slot++) free(at[slot]);
}

static void *churner(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  while (!stop) churn(&state, 200);
  return NULL;
}

static void threads_small_stacks(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  check(pthread_attr_setstacksize(&attr, 64 << 10) == 0, "stack size");
  for (int round = 0; round < 20; round++) {
    pthread_t threads[8];
    stop = 0;
    for (long i = 0; i < 8; i++) check(pthread_create(&threads[i], &attr, churner, (void *)(i + round)) == 0, "thread");
    usleep(5000);
    stop = 1;
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  }
  pthread_attr_setstacksize(&attr, 16384 + 4096);
  pthread_t small;
  check(pthread_create(&small, &attr, churner, (void *)1) == 0, "smallest stack");
  pthread_join(small, NULL);
}

static void *short_thread(void *unused) {
  (void)unused;
  unsigned state = 7;
  for (int i = 0; i < 20; i++) free(malloc(1 + random_number(&state) % 5000));
  return malloc(3000);
}

static void many_threads(void) {
  for (int i = 0; i < 20000; i++) {
    pthread_t thread;
    void *left;
    check(pthread_create(&thread, NULL, short_thread, NULL) == 0, "thread");
    pthread_join(thread, &left);
    free(left);
  }
}

static void forks(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churner, (void *)i);
  unsigned state = 3;
  for (int i = 0; i < 150; i++) {
    void *before = malloc(100000);
    pid_t child = i % 3 == 2 ? (pid_t)syscall(SYS_fork) : fork();
    if (child == 0) {
      // After a bare system call only memory that needs no lock is safe.
      if (i % 3 != 2) {
        churn(&state, 300);
        free(before);
      }
      _exit(0);
    }
    int status = -1;
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "child");
    free(before);
  }
  stop = 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void *kept[256];

// Not allowed by the book, and done by programs all the same.
static void handler(int signal) {
  (void)signal;
  static unsigned next;
  unsigned slot = next++ % 256;
  int before = errno;
  free(kept[slot]);
  kept[slot] = NULL;
  errno = before;
}

static void signals(void) {
  // The handler must not interrupt the allocator itself: the timer's signal is let through between calls only.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  signal(SIGALRM, handler);
  struct itimerval timer = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &timer, NULL);
  unsigned state = 5;
  // So many blocks, not so many rounds: how often the timer comes in between depends on the machine.
  for (int made = 0; made < 800;) {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    unsigned slot = random_number(&state) % 256;
    if (!kept[slot]) {
      kept[slot] = malloc(4000 + slot);
      made++;
    }
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  }
  timer.it_value.tv_usec = timer.it_interval.tv_usec = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int slot = 0; slot < 256; slot++) free(kept[slot]);
}

static void mappings(void) {
  enum { SIZE = 8 << 20, KEEP = 40 };
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  for (int i = 0; i < KEEP; i++) {
    // Head and tail given back: 2 MiB stay.
    unsigned char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
    check(at != MAP_FAILED, "mmap");
    munmap(at, 2 << 20);
    munmap(at + (4 << 20), 4 << 20);
    // Grown and moved: 3 MiB stay of this one.
    unsigned char *other = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
    other[5] = 77;
    other = mremap(other, 1 << 20, 3 << 20, MREMAP_MAYMOVE);
    check(other != MAP_FAILED && other[5] == 77, "mremap");
    // Reservations, files and what is mapped over are not memory of this program.
    check(mmap(NULL, 64ul << 20, PROT_NONE, flags | MAP_NORESERVE, -1, 0) != MAP_FAILED, "reservation");
    unsigned char *over = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
    check(mmap(over, SIZE, PROT_NONE, flags | MAP_FIXED, -1, 0) == over, "over");
    check(munmap(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0), SIZE) == 0, "munmap");
  }
}

static void edges(void) {
  free(NULL);
  check(malloc((size_t)1 << 62) == NULL && errno == ENOMEM, "too much");
  check(calloc((size_t)1 << 40, (size_t)1 << 40) == NULL, "calloc overflow");
  check(reallocarray(NULL, (size_t)1 << 40, (size_t)1 << 40) == NULL && errno == ENOMEM, "reallocarray overflow");
  void *out = (void *)1;
  check(posix_memalign(&out, 3, 100) == EINVAL, "posix_memalign alignment");
  free(malloc(0));
  free(calloc(0, 5));
  for (int i = 0; i < 2000; i++) {
    // A failed realloc leaves the memory as it was.
    char *at = malloc(100000);
    strcpy(at, "stays");
    check(realloc(at, (size_t)1 << 62) == NULL && !strcmp(at, "stays"), "failed realloc");
    if (i % 2) check(realloc(at, 0) == NULL, "realloc to nothing"); else free(at);
    errno = 1234;
    free(malloc(70000));
    check(errno == 1234, "errno");
    free(memalign(256, 3000));
    free(valloc(5000));
    free(pvalloc(5000));
  }
}

static void *cancelled(void *unused) {
  (void)unused;
  pthread_cleanup_push(free, malloc(10));
  for (int i = 0; i < 100000 && !stop; i++) {
    void *at = malloc(60000);
    if (!at) abort();
    free(at);
  }
  for (;;) pthread_testcancel();
  pthread_cleanup_pop(1);
  return NULL;
}

static void cancel(void) {
  for (int i = 0; i < 50; i++) {
    pthread_t thread;
    stop = 0;
    pthread_create(&thread, NULL, cancelled, NULL);
    pthread_cancel(thread);
    usleep(500);
    stop = 1;
    void *result;
    pthread_join(thread, &result);
    check(result == PTHREAD_CANCELED, "cancelled");
  }
}

static void storm(void) {
  unsigned state = 1;
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churner, (void *)i);
  sleep(1);
  stop = 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  churn(&state, 100);
}

static void pair(void) {
  const int rounds = 20000000;
  double best = 1e9;
  for (int repeat = 0; repeat < 7; repeat++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < rounds; i++) {
      void *at = malloc(64);
      __asm__ volatile("" : : "r"(at) : "memory");
      free(at);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ns = ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / rounds;
    if (ns < best) best = ns;
  }
  printf("%.2f\n", best);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (!strcmp(mode, "stacks")) threads_small_stacks();
  else if (!strcmp(mode, "threads")) many_threads();
  else if (!strcmp(mode, "forks")) forks();
  else if (!strcmp(mode, "signals")) signals();
  else if (!strcmp(mode, "mappings")) mappings();
  else if (!strcmp(mode, "edges")) edges();
  else if (!strcmp(mode, "cancel")) cancel();
  else if (!strcmp(mode, "storm")) storm();
  else if (!strcmp(mode, "pair")) pair();
  else return 2;
  return 0;
}
