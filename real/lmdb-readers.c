/* LMDB: a reader sees the value from before a transaction or the one from after it, never
 * another one. argv[1] is an empty folder. */
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <string.h>

static MDB_env *environment;
static MDB_dbi database;

static void put(int number)
{
    MDB_txn *transaction;
    MDB_val key = {1, "k"}, value = {sizeof number, &number};
    assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
    assert(mdb_put(transaction, database, &key, &value, 0) == 0);
    assert(mdb_txn_commit(transaction) == 0);
}

static void *read_it(void *unused)
{
    MDB_txn *transaction;
    MDB_val key = {1, "k"}, value;
    int number;
    assert(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction) == 0);
    assert(mdb_get(transaction, database, &key, &value) == 0);
    memcpy(&number, value.mv_data, sizeof number);
    assert(number == 1 || number == 2);
    mdb_txn_abort(transaction);
    return unused;
}

int main(int argc, char **argv)
{
    MDB_txn *transaction;
    pthread_t thread;
    assert(argc == 2);
    assert(mdb_env_create(&environment) == 0);
    assert(mdb_env_set_mapsize(environment, 64 * 1024) == 0);
    assert(mdb_env_open(environment, argv[1], MDB_NOSYNC, 0644) == 0);
    assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
    assert(mdb_dbi_open(transaction, NULL, 0, &database) == 0);
    assert(mdb_txn_commit(transaction) == 0);
    put(1);
    pthread_create(&thread, NULL, read_it, NULL);
    put(2);
    pthread_join(thread, NULL);
    mdb_env_close(environment);
    return 0;
}
