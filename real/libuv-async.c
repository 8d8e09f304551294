// A loop of libuv's, a worker of its pool, and a thread that wakes the loop: the work is done
// before it is reported, and what the thread has sent is seen in the callback.
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static uv_loop_t loop;
static uv_async_t async;
static int worked, sent, received, finished;

static void work(uv_work_t *request)
{
    (void)request;
    worked = 1;
}

static void after(uv_work_t *request, int status)
{
    (void)request;
    assert(status == 0 && worked == 1);
    finished = 1;
}

static void wake(uv_async_t *handle)
{
    assert(sent == 1);
    received = 1;
    uv_close((uv_handle_t *)handle, NULL);
}

static void send_to_loop(void *unused)
{
    (void)unused;
    sent = 1;
    uv_async_send(&async);
}

int main(void)
{
    uv_thread_t thread;
    uv_work_t request;
    assert(uv_loop_init(&loop) == 0);
    assert(uv_async_init(&loop, &async, wake) == 0);
#ifdef WORK
    assert(uv_queue_work(&loop, &request, work, after) == 0);
#endif
    assert(uv_thread_create(&thread, send_to_loop, NULL) == 0);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(received);
#ifdef WORK
    assert(finished);
#endif
    assert(uv_thread_join(&thread) == 0);
    assert(uv_loop_close(&loop) == 0);
    return 0;
}
