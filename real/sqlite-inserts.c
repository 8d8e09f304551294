/* SQLite: two threads insert into a table of one connection in memory; both rows are there. */
#include <sqlite3.h>

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static sqlite3 *database;

static void run(const char *statement)
{
    assert(sqlite3_exec(database, statement, NULL, NULL, NULL) == SQLITE_OK);
}

static void *insert(void *statement)
{
    run(statement);
    return NULL;
}

static int take(void *sum, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(char *)sum = values[0][0];
    return 0;
}

int main(void)
{
    pthread_t thread;
    char sum = 0;
    assert(sqlite3_open(":memory:", &database) == SQLITE_OK);
    run("create table numbers (n)");
    pthread_create(&thread, NULL, insert, "insert into numbers values (1)");
    run("insert into numbers values (2)");
    pthread_join(thread, NULL);
    assert(sqlite3_exec(database, "select sum(n) from numbers", take, &sum, NULL) == SQLITE_OK);
    assert(sum == '3');
    assert(sqlite3_close(database) == SQLITE_OK);
    return 0;
}
