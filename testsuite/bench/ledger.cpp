// Three threads of C++ book amounts of their own, which they need to the end: nothing is
// symmetric.
// leno[--symmetry off]: verdict=safe executions=1680
// leno[--symmetry on]: verdict=safe executions=1680
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::mutex lock;
    std::map<std::string, int> ledger;
    std::vector<std::thread> threads;
    for (int amount = 1; amount <= 3; amount++)
        threads.emplace_back([&, amount] {
            for (int i = 0; i < 3; i++) {
                std::lock_guard<std::mutex> guard(lock);
                ledger["from"] -= amount;
                ledger["to"] += amount;
            }
        });
    for (auto &thread : threads)
        thread.join();
    assert(ledger["to"] == 18 && ledger["from"] == -18);
}
