#pragma once

// A sum that several threads add to.
class Sum {
public:
    void add(int value);
    int value() const;

private:
    int sum = 0;
};
