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

// How many of something were in use at most, as far back as some turns: in a turn as many are given
// back as were in use. Not thread-safe.
class RecentNeed {
 public:
  void take() { most_ = std::max(most_, ++in_use_); }
  void give_back() {
    --in_use_;
    if (++given_back_ < kTurns * std::max(most_, kFew)) return;
    given_back_ = 0;
    most_before_ = std::exchange(most_, in_use_);
  }
  // Beside those in use; at least `fewest`.
  std::size_t worth_keeping(std::size_t fewest = 0) const {
    return std::max(std::max(most_, most_before_), in_use_ + fewest) - in_use_;
  }

 private:
  static constexpr std::size_t kTurns = 4;
  static constexpr std::size_t kFew = 2;

  std::size_t in_use_ = 0;
  std::size_t most_ = 0;
  std::size_t most_before_ = 0;
  std::size_t given_back_ = 0;
};

}  // namespace tidemark
