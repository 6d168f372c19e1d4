// A line on standard error that shows how far a run has come.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tidemark::cli {

// Shows rows and rate while it lives, and removes its line at the end.
class ProgressLine {
 public:
  // `rows` must outlive this.
  explicit ProgressLine(const std::atomic<std::uint64_t>& rows);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show();

  const std::atomic<std::uint64_t>& rows_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tidemark::cli
