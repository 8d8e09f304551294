// LevelDB: two threads that write to one database; the later write of a key is not lost.
#include <leveldb/db.h>

#include <cassert>
#include <string>
#include <thread>

int main(int, char **arguments)
{
    leveldb::DB *opened;
    leveldb::Options options;
    options.create_if_missing = true;
    assert(leveldb::DB::Open(options, arguments[1], &opened).ok());
    std::thread other([&] { assert(opened->Put({}, "key", "1").ok()); });
    assert(opened->Put({}, "key", "2").ok());
    std::string found;
    assert(opened->Get({}, "key", &found).ok() && (found == "1" || found == "2"));
    other.join();
    delete opened;
}
