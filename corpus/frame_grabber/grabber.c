/* A frame grabber's driver: shows the latest frames to its hardware, and is to give back what it has shown. */

#include <stdlib.h>

void Py_IncRef(void *object);
void Py_DecRef(void *object);

static void **shown;
static size_t count, room;

/* Keeps a reference to the frame until `grabber_release`. */
int grabber_show(void *frame)
{
    if (count == room) {
        size_t more = room ? 2 * room : 8;
        void **larger = realloc(shown, more * sizeof *shown);
        if (!larger)
            return -1;
        shown = larger;
        room = more;
    }
    Py_IncRef(frame);
    shown[count++] = frame;
    return 0;
}

void grabber_release(void)
{
    while (count > 0)
        Py_DecRef(shown[--count]);
}
