// Mappings are gone in the next execution, and the file under one has its old bytes.
// leno[--symmetry off]: verdict=safe executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *maps[2];

static void *work(void *place)
{
    char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED && memory[0] == 0 && memory[8191] == 0);
    memory[0] = memory[8191] = 1;
    *(void **)place = memory;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

__attribute__((constructor)) static void prepare(void)
{
    int file = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert(write(file, "data", 4) == 4);
    close(file);
}

int main(void)
{
    int file = open("data", O_RDWR);
    char *shared = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    char *private = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    assert(shared != MAP_FAILED && private != MAP_FAILED);
    assert(memcmp(shared, "data", 4) == 0 && memcmp(private, "data", 4) == 0);
    shared[0] = 'D';
    private[1] = 'A';
    char text[5] = "";
    assert(pread(file, text, 4, 0) == 4 && strcmp(text, "Data") == 0);
    assert(munmap(private, 4) == 0);

    char *grown = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    grown[0] = 1;
    grown = mremap(grown, 4096, 1 << 20, MREMAP_MAYMOVE);
    assert(grown != MAP_FAILED && grown[0] == 1 && grown[(1 << 20) - 1] == 0);
    assert(mprotect(grown, 4096, PROT_READ) == 0);

    pthread_t a, b;
    pthread_create(&a, NULL, work, &maps[0]);
    pthread_create(&b, NULL, work, &maps[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(maps[0] != maps[1]);
    return 0;
}
