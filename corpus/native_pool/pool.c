/* An image decoder with a pool of its own threads; each job forgets the buffer it decoded into. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, JOB_BYTES = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, running;
static unsigned char *volatile latest;

__attribute__((noinline)) static void decode_image(void)
{
    unsigned char *pixels = malloc(JOB_BYTES);
    if (pixels) {
        memset(pixels, 1, JOB_BYTES);
        latest = pixels; /* the one before is lost */
    }
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (waiting == 0)
            pthread_cond_wait(&changed, &lock);
        waiting--;
        running++;
        pthread_mutex_unlock(&lock);
        decode_image();
        pthread_mutex_lock(&lock);
        running--;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

int pool_start(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return -1;
        pthread_detach(thread);
    }
    return 0;
}

/* Decodes `images` images; returns when all are done. */
void pool_decode(int images)
{
    pthread_mutex_lock(&lock);
    waiting += images;
    pthread_cond_broadcast(&changed);
    while (waiting > 0 || running > 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
