// Turns SIGINT and SIGTERM into an orderly end.
#pragma once

#include <atomic>
#include <thread>

#include "tidemark/runtime/cancellation.h"

namespace tidemark::cli {

// While it lives, the first SIGINT or SIGTERM requests a cancellation, and the second ends the
// process at once with exit code 128 + signal. Make it before any other thread: threads made later
// leave both signals to it.
class SignalWatch {
 public:
  explicit SignalWatch(Cancellation& cancellation);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // 128 + the signal that came, or `otherwise` if none did.
  int exit_code(int otherwise) const;

 private:
  void watch();

  Cancellation& cancellation_;
  int signals_;
  int stop_;
  // Written by the watching thread, read by others; orders nothing else, so relaxed.
  std::atomic<int> received_{0};
  std::thread thread_;
};

}  // namespace tidemark::cli
