/* What malloc and mmap promise: sizes, alignment, contents, errno, floating-point flags. Each function gives the number of broken promises. */

#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int wrong;
static void *volatile seen; /* so that no pair is optimised away */
/* Behind pointers, so that the compiler does not know better what a refusal leaves behind. */
static void *(*volatile resize)(void *, size_t) = realloc;
static void *(*volatile resize_array)(void *, size_t, size_t) = reallocarray;

#define MUST(condition) \
    do { \
        if (!(condition)) { \
            wrong++; \
            char text[16]; \
            int digits = 0, line = __LINE__; \
            for (int rest = line; rest; rest /= 10) \
                digits++; \
            text[digits] = '\n'; \
            for (int i = digits - 1; i >= 0; i--, line /= 10) \
                text[i] = (char)('0' + line % 10); \
            if (write(2, text, (size_t)digits + 1) < 0) \
                wrong++; \
        } \
    } while (0)

#define HUGE_BYTES ((size_t)PTRDIFF_MAX - 4096)

int errno_is_kept(int turns)
{
    wrong = 0;
    for (int i = 0; i < turns; i++) {
        errno = 77;
        void *block = malloc(1 + (size_t)i * 13 % 200000);
        seen = block;
        MUST(errno == 77);
        block = realloc(block, 1 + (size_t)i * 7 % 400000);
        MUST(errno == 77);
        free(block);
        MUST(errno == 77);
        block = calloc(3, 1 + (size_t)i % 50000);
        MUST(errno == 77);
        free(block);
        MUST(errno == 77);
    }
    return wrong;
}

/* Modes and flags of floating point are the program's, in the middle of whatever the recorder computes. */
int floats_are_kept(int turns)
{
    wrong = 0;
    MUST(fesetround(FE_UPWARD) == 0);
    MUST(feenableexcept(FE_DIVBYZERO | FE_OVERFLOW) != -1);
    for (int i = 0; i < turns; i++) {
        feclearexcept(FE_ALL_EXCEPT);
        void *block = malloc(1 + (size_t)i * 13 % 200000);
        seen = block;
        MUST(fetestexcept(FE_ALL_EXCEPT) == 0);
        block = realloc(block, 1 + (size_t)i * 7 % 400000);
        free(block);
        MUST(fetestexcept(FE_ALL_EXCEPT) == 0);
        char *mapped = mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(mapped + 50000 / 4096 * 4096, 4096);
        munmap(mapped, 100000);
        MUST(fetestexcept(FE_ALL_EXCEPT) == 0 && fegetround() == FE_UPWARD);
    }
    MUST(fegetexcept() == (FE_DIVBYZERO | FE_OVERFLOW));
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    return wrong;
}

int refusals(void)
{
    wrong = 0;
    volatile size_t huge = HUGE_BYTES, half = SIZE_MAX / 2;
    errno = 0;
    MUST(malloc(huge) == NULL && errno == ENOMEM);
    errno = 0;
    MUST(calloc(half, 3) == NULL && errno == ENOMEM);
    char *kept = malloc(1000000);
    memset(kept, 5, 1000000);
    errno = 0;
    MUST(resize(kept, huge) == NULL && errno == ENOMEM);
    errno = 0;
    MUST(resize_array(kept, half, 3) == NULL && errno == ENOMEM);
    MUST(kept[0] == 5 && kept[999999] == 5); /* a refusal leaves the block alone */
    free(kept);
    void *aligned = (void *)1;
    MUST(posix_memalign(&aligned, 3, 100) == EINVAL && aligned == (void *)1);
    MUST(posix_memalign(&aligned, 64, huge) == ENOMEM);
    errno = 0;
    MUST(mmap(NULL, huge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
    errno = 0;
    MUST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
    errno = 0;
    MUST(munmap((void *)1, 4096) == -1 && errno == EINVAL);
    errno = 0;
    MUST(mremap((void *)1, 4096, 8192, 0) == MAP_FAILED && errno == EINVAL);
    free(NULL);
    void *none = malloc(0);
    MUST(none != NULL);
    free(none);
    return wrong;
}

int alignments(void)
{
    wrong = 0;
    for (size_t alignment = sizeof(void *); alignment <= 1 << 20; alignment *= 2) {
        for (size_t size = 1; size < 600000; size = size * 3 + 1) {
            void *block = NULL;
            MUST(posix_memalign(&block, alignment, size) == 0 && (uintptr_t)block % alignment == 0);
            MUST(malloc_usable_size(block) >= size);
            memset(block, 1, size);
            free(block);
            block = aligned_alloc(alignment, size);
            MUST(block && (uintptr_t)block % alignment == 0);
            block = realloc(block, size + 100000);
            MUST((uintptr_t)block % 16 == 0 && malloc_usable_size(block) >= size + 100000);
            free(block);
            block = memalign(alignment, size);
            MUST(block && (uintptr_t)block % alignment == 0);
            free(block);
        }
    }
    void *page = valloc(100000);
    MUST((uintptr_t)page % 4096 == 0);
    free(page);
    page = pvalloc(1);
    MUST((uintptr_t)page % 4096 == 0 && malloc_usable_size(page) >= 4096);
    free(page);
    for (size_t size = 1; size < 1 << 22; size = size * 2 + 1) {
        unsigned char *zero = calloc(size, 1);
        for (size_t i = 0; i < size; i += 64)
            MUST(zero[i] == 0);
        memset(zero, 255, size);
        free(zero);
    }
    return wrong;
}

/* Blocks that grow and shrink at random keep their contents. */
int realloc_storm(int turns)
{
    wrong = 0;
    static unsigned char *blocks[500];
    static size_t sizes[500];
    unsigned state = 1;
    for (int i = 0; i < turns; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned slot = (state >> 8) % 500;
        size_t size = (state >> 20) % 64 == 0 ? 1 + state % 1000000 : 1 + (state >> 4) % 3000;
        unsigned char *block = realloc(blocks[slot], size);
        MUST(block != NULL);
        size_t both = size < sizes[slot] ? size : sizes[slot];
        if (both)
            MUST(block[0] == (unsigned char)slot && block[both - 1] == (unsigned char)slot);
        memset(block, (int)slot, size);
        blocks[slot] = block;
        sizes[slot] = size;
    }
    for (int i = 0; i < 500; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
        sizes[i] = 0;
    }
    return wrong;
}

/* Mappings that are moved, grown, shrunk, cut in the middle and mapped over. */
int mappings(int turns)
{
    wrong = 0;
    const size_t page = 4096;
    const int both = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    for (int i = 0; i < turns; i++) {
        size_t pages = 16 + (size_t)i % 500;
        unsigned char *first = mmap(NULL, pages * page, both, flags, -1, 0);
        MUST(first != MAP_FAILED);
        first[0] = 1;
        first[pages * page - 1] = 2;
        unsigned char *moved = mremap(first, pages * page, 2 * pages * page, MREMAP_MAYMOVE);
        MUST(moved != MAP_FAILED && moved[0] == 1 && moved[pages * page - 1] == 2 && moved[pages * page] == 0);
        MUST(munmap(moved + 4 * page, 4 * page) == 0); /* a hole */
        MUST(moved[3 * page] == 0 && moved[pages * page - 1] == 2);
        void *again = mmap(moved + 8 * page, page, both, flags | MAP_FIXED, -1, 0);
        MUST(again == moved + 8 * page);
        unsigned char *target = mmap(NULL, 4 * page, both, flags, -1, 0);
        MUST(mremap(moved, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, target) == target);
        MUST(target[0] == 1);
        MUST(mremap(target, 4 * page, page, 0) == target);
        MUST(munmap(target, page) == 0);
        MUST(munmap(moved + 8 * page, (2 * pages - 8) * page) == 0);
    }
    /* Larger than this machine's memory: address space only. */
    size_t huge = (size_t)1 << 42;
    char *reserved = mmap(NULL, huge, PROT_NONE, flags | MAP_NORESERVE, -1, 0);
    MUST(reserved != MAP_FAILED);
    MUST(mprotect(reserved + (huge / 2), page, both) == 0);
    reserved[huge / 2] = 1;
    MUST(munmap(reserved, huge) == 0);
    return wrong;
}

static int descend(int frames, int *where)
{
    volatile int here = frames;
    if (frames == 0) {
        for (int i = 0; i < 50; i++) {
            void *block = malloc(100000);
            *where += block != NULL;
            free(block);
        }
        return 0;
    }
    return descend(frames - 1, where) + (here == frames);
}

/* Allocates below a very deep stack. */
int deep_stack(int frames)
{
    int allocated = 0;
    return descend(frames, &allocated) == frames && allocated == 50 ? 0 : 1;
}
