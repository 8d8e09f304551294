/* Concurrency Kit: what three threads push onto a stack can be popped. */
#include <ck_stack.h>

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[3];

static void *push(void *entry)
{
    ck_stack_push_upmc(&stack, entry);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int found = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, push, &entries[i]);
    push(&entries[2]);
    found += ck_stack_pop_upmc(&stack) != NULL;
    assert(found == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (ck_stack_pop_upmc(&stack))
        found++;
    assert(found == 3);
    return 0;
}
