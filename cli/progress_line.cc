#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <utility>

#include "tidemark/perf/progress_text.h"

namespace tidemark::cli {

namespace {

constexpr std::chrono::milliseconds kPeriod{250};
// Back to the start of the line, and clear it.
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(const LiveRuns& runs, Estimator estimate)
    : runs_(runs), estimate_(std::move(estimate)), thread_([this] { show(); }) {}

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
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  std::uint64_t rows_before = 0;
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kPeriod, [this] { return stop_; })) {
    const LiveRuns::State state = runs_.state();
    if (!state.run) continue;
    RowTotals totals = state.earlier;
    totals += state.run->totals();
    const Clock::time_point now = Clock::now();
    const Estimate estimate = estimate_(state, totals, now - start);
    Progress progress;
    progress.phase = estimate.phase;
    progress.rows = totals.read;
    progress.rows_per_second = static_cast<double>(totals.read - rows_before) /
                               std::chrono::duration<double>(now - before).count();
    progress.watermark = state.run->watermark();
    progress.late = totals.late();
    progress.left = estimate.left;
    fmt::print(stderr, "{}{}", kClearLine, progress_text(progress));
    std::fflush(stderr);
    before = now;
    rows_before = totals.read;
  }
}

StepLine::~StepLine() { fmt::print(stderr, "{}", kClearLine); }

void StepLine::operator()(std::size_t done, std::size_t all, const std::string& next) const {
  const auto left = time_left(static_cast<double>(done) / static_cast<double>(all),
                              std::chrono::steady_clock::now() - start_);
  fmt::print(stderr, "{}{} {} of {}: {}{}", kClearLine, noun_, done + 1, all, next,
             left ? ", " + time_left_text(*left) : "");
  std::fflush(stderr);
}

bool shows_progress(bool wanted, bool unwanted, bool otherwise) {
  if (unwanted) return false;
  return wanted || (otherwise && ::isatty(STDERR_FILENO) == 1);
}

}  // namespace tidemark::cli
