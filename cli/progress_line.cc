#include "cli/progress_line.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "tidemark/connectors/run_summary.h"

namespace tidemark::cli {

namespace {

constexpr std::chrono::milliseconds kPeriod{250};
// Back to the start of the line, and clear it.
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(const std::atomic<std::uint64_t>& rows)
    : rows_(rows), thread_([this] { show(); }) {}

ProgressLine::~ProgressLine() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_one();
  thread_.join();
  fmt::print(stderr, "{}", kClearLine);
}

void ProgressLine::show() {
  std::uint64_t before = 0;
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kPeriod, [this] { return stop_; })) {
    const std::uint64_t rows = rows_.load(std::memory_order_relaxed);
    const double rate =
        static_cast<double>(rows - before) / std::chrono::duration<double>(kPeriod).count();
    fmt::print(stderr, "{}{} rows, {} rows/s", kClearLine, short_count(static_cast<double>(rows)),
               short_count(rate));
    std::fflush(stderr);
    before = rows;
  }
}

}  // namespace tidemark::cli
