// A figure that one thread keeps and any thread may look at.
#pragma once

#include <atomic>

namespace tidemark {

// Written by one thread. All orders are relaxed: a reader sees some value that was set, and nothing
// hangs on it. Costs a plain store and a plain load.
template <typename T>
class PublishedValue {
 public:
  explicit PublishedValue(T value = T{}) : value_(value) {}

  void set(T value) { value_.store(value, std::memory_order_relaxed); }
  // The writer's shortcut: no other thread writes, so this need not be one atomic step.
  void add(T more) { set(get() + more); }
  T get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> value_;
};

}  // namespace tidemark
