// What has been needed lately, so that memory for more can be given back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tidemark {

// The highest of the values noted in the last steps; a step is whatever the owner repeats, like
// giving a pane back. Not thread-safe.
class RecentPeak {
 public:
  // Looks back over at least the last `span` steps, and less than twice as many.
  explicit RecentPeak(std::size_t span) : span_(span) {}

  void note(std::size_t value) { current_ = std::max(current_, value); }
  // The end of a step. True once in `span` steps.
  bool step() {
    if (++steps_ < span_) return false;
    steps_ = 0;
    previous_ = std::exchange(current_, 0);
    return true;
  }
  std::size_t value() const { return std::max(previous_, current_); }

 private:
  std::size_t span_;
  std::size_t steps_ = 0;
  std::size_t current_ = 0;
  std::size_t previous_ = 0;
};

}  // namespace tidemark
