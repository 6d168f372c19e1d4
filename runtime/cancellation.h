// Asks a running pipeline to stop reading, drain what it has read, and end.
#pragma once

#include <atomic>
#include <chrono>

namespace tidemark {

// Set from any thread or from a signal handler; sources look at it before every batch. A source
// that waits for input looks again at the latest after kCancellationPoll.
inline constexpr std::chrono::milliseconds kCancellationPoll{20};

class Cancellation {
 public:
  void request() { requested_.store(true, std::memory_order_relaxed); }
  // Relaxed is enough: the flag orders nothing else, it only has to be seen in time.
  bool requested() const { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace tidemark
