// An allocator to be loaded behind the recorder: each block has a head, and what has none ends the program.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC 0x6f746865726f7468ul
#define CLASSES 40

struct head {
  uint64_t magic, size, class, start;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *spare[CLASSES];
static char *room, *room_end;
static volatile size_t calls;

size_t other_allocator_calls(void) { return calls; }

static void *take(size_t class) {
  size_t size = (size_t)1 << class;
  pthread_mutex_lock(&lock);
  char *at = spare[class];
  if (at) {
    memcpy(&spare[class], at, sizeof(void *));
  } else {
    if ((size_t)(room_end - room) < size) {
      size_t more = size > (64ul << 20) ? size : (64ul << 20);
      room = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (room == MAP_FAILED) abort();
      room_end = room + more;
    }
    at = room;
    room += size;
  }
  calls++;
  pthread_mutex_unlock(&lock);
  return at;
}

static void *allocate(size_t align, size_t size) {
  if (align < 16) align = 16;
  if (size > (1ul << 32)) {
    errno = ENOMEM;
    return NULL;
  }
  size_t all = size + align + sizeof(struct head), class = 6;
  while (((size_t)1 << class) < all) class++;
  char *start = take(class);
  uintptr_t at = ((uintptr_t)start + sizeof(struct head) + align - 1) / align * align;
  struct head *head = (struct head *)at - 1;
  *head = (struct head){MAGIC, size, class, (uint64_t)start};
  return (void *)at;
}

void *malloc(size_t size) { return allocate(16, size); }
void *memalign(size_t align, size_t size) { return allocate(align, size); }
void *aligned_alloc(size_t align, size_t size) { return allocate(align, size); }
void *valloc(size_t size) { return allocate(4096, size); }
void *pvalloc(size_t size) { return allocate(4096, size); }

int posix_memalign(void **to, size_t align, size_t size) {
  if (align % sizeof(void *) || align & (align - 1)) return EINVAL;
  *to = allocate(align, size);
  return *to ? 0 : ENOMEM;
}

void free(void *at) {
  if (!at) return;
  struct head *head = (struct head *)at - 1;
  if (head->magic != MAGIC) {
    write(2, "freed what is not ours\n", 23);
    _exit(99);
  }
  head->magic = 0;
  void *start = (void *)head->start;
  size_t class = head->class;
  pthread_mutex_lock(&lock);
  memcpy(start, &spare[class], sizeof(void *));
  spare[class] = start;
  pthread_mutex_unlock(&lock);
}

size_t malloc_usable_size(void *at) { return at ? ((struct head *)at - 1)->size : 0; }

void *calloc(size_t count, size_t each) {
  size_t size;
  if (__builtin_mul_overflow(count, each, &size)) {
    errno = ENOMEM;
    return NULL;
  }
  void *at = allocate(16, size);
  return at ? memset(at, 0, size) : NULL;
}

void *realloc(void *at, size_t size) {
  if (!at) return malloc(size);
  if (!size) {
    free(at);
    return NULL;
  }
  void *fresh = malloc(size);
  if (!fresh) return NULL;
  size_t old = malloc_usable_size(at);
  memcpy(fresh, at, old < size ? old : size);
  free(at);
  return fresh;
}
