// Where POSIX wants cancellation points, a thread may be cancelled with the lock that it
// holds; who cleans up gives it back.
// leno: cflags="-DCALL=fsync(1)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=fdatasync(1)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=poll(&polled,1,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=select(1,&set,NULL,NULL,&soon)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=pselect(1,&set,NULL,NULL,&now,NULL)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=send(-1,&byte,1,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=recv(-1,&byte,1,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=accept(-1,NULL,NULL)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=msync(NULL,0,MS_SYNC)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=mq_send((mqd_t)-1,&byte,1,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=mq_receive((mqd_t)-1,&byte,1,NULL)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=mq_timedsend((mqd_t)-1,&byte,1,0,&now)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=mq_timedreceive((mqd_t)-1,&byte,1,NULL,&now)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=tcdrain(-1)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=wait(NULL)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=waitpid(-1,NULL,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=waitid(P_ALL,0,NULL,WEXITED)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=fcntl(-1,F_SETLK,&lock)" verdict=safe
// leno: cflags="-DCALL=lockf(-1,F_LOCK,0)" verdict=bug kind=deadlock
// leno: cflags="-DCALL=lockf(-1,F_TLOCK,0)" verdict=safe
// leno: cflags="-DCLEANS -DCALL=fsync(1)" verdict=safe
// leno: cflags="-DCLEANS -DCALL=poll(&polled,1,0)" verdict=safe
// leno: cflags="-DCLEANS -DCALL=send(-1,&byte,1,0)" verdict=safe
// leno: cflags="-DCALL=getpid()" verdict=safe
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *work(void *unused)
{
    struct pollfd polled = { .fd = 1, .events = POLLOUT };
    struct timeval soon = { .tv_usec = 1 };
    struct timespec now = { .tv_nsec = 1 };
    struct flock lock = { .l_type = F_RDLCK };
    fd_set set;
    char byte = 0;
    FD_ZERO(&set);
    pthread_mutex_lock(&mutex);
#ifdef CLEANS
    pthread_cleanup_push(unlock, &mutex);
    CALL;
    pthread_cleanup_pop(1);
#else
    CALL;
    unlock(&mutex);
#endif
    (void)polled, (void)soon, (void)now, (void)byte, (void)lock;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
