// What zlib reads and writes of what it is given.
// leno: cflags="-DWHAT=CHECKSUM -l:libz.so.1" verdict=safe
// leno: cflags="-DWHAT=BLOCK -l:libz.so.1" verdict=safe
// leno: cflags="-DWHAT=STREAM -l:libz.so.1" verdict=safe
// leno: cflags="-DWHAT=CHECKSUM -DWRONG -l:libz.so.1" verdict=bug kind=race object~shared
// leno: cflags="-DWHAT=BLOCK -DWRONG -l:libz.so.1" verdict=bug kind=race object~shared
// leno: cflags="-DWHAT=STREAM -DWRONG -l:libz.so.1" verdict=bug kind=race object~shared
#include <assert.h>
#include <pthread.h>
#include <string.h>

// As zlib.h says, which not every machine has.
typedef struct {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state, *functions[3];
    int data_type;
    unsigned long adler, reserved;
} z_stream;
unsigned long crc32(unsigned long crc, const unsigned char *text, unsigned length);
unsigned long adler32(unsigned long adler, const unsigned char *text, unsigned length);
int compress(unsigned char *to, unsigned long *room, const unsigned char *from, unsigned long);
int deflateInit_(z_stream *stream, int level, const char *version, int size);
int deflate(z_stream *stream, int flush);
int deflateEnd(z_stream *stream);
enum { FINISH = 4, OK = 0, AT_END = 1 };

enum { CHECKSUM, BLOCK, STREAM };

static struct {
    unsigned char text[40];
    unsigned char behind;
} shared;
static unsigned char packed[128];

static void *pack(void *unused)
{
    unsigned long room = sizeof packed;
    z_stream stream = {.next_in = shared.text, .avail_in = sizeof shared.text};
    switch (WHAT) {
    case CHECKSUM:
        assert(crc32(0, shared.text, sizeof shared.text) != adler32(1, shared.text, 5));
        break;
    case BLOCK:
        assert(compress(packed, &room, shared.text, sizeof shared.text) == OK);
        break;
    default:
        assert(deflateInit_(&stream, 9, "1", sizeof stream) == OK);
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        assert(deflate(&stream, FINISH) == AT_END);
        assert(deflateEnd(&stream) == OK);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    memset(shared.text, 'x', sizeof shared.text);
    pthread_create(&thread, NULL, pack, NULL);
#ifdef WRONG
    shared.text[sizeof shared.text - 1] = 0;
#else
    shared.behind = 1;
#endif
    pthread_join(thread, NULL);
    return 0;
}
