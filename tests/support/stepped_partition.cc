#include "support/stepped_partition.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace tidemark::test_support {
namespace {

// Long enough for a wrong extra result to show; too short never fails a right engine.
constexpr std::chrono::milliseconds kQuiet{3};
constexpr std::chrono::seconds kPatience{20};

}  // namespace

SteppedPartition::SteppedPartition(std::vector<CaseStep> steps,
                                   std::function<std::size_t()> results_so_far)
    : steps_(std::move(steps)), results_so_far_(std::move(results_so_far)) {}

PollStatus SteppedPartition::poll(Batch& batch) {
  ready_at_.reset();
  bool appended = false;
  for (; next_ < steps_.size() && !batch.full(); ++next_) {
    if (const auto* fired = std::get_if<FiredStep>(&steps_[next_])) {
      if (appended) return PollStatus::kRows;
      if (!has_fired(fired->results)) {
        ready_at_ = Clock::now() + std::chrono::milliseconds(1);
        return PollStatus::kPending;
      }
      waiting_since_.reset();
      continue;
    }
    const auto* filler = std::get_if<FillerStep>(&steps_[next_]);
    append_row(batch, filler != nullptr ? filler->row : std::get<Row>(steps_[next_]));
    appended = true;
  }
  if (appended) return PollStatus::kRows;
  return next_ == steps_.size() ? PollStatus::kEnd : PollStatus::kPending;
}

bool SteppedPartition::has_fired(std::size_t expected) {
  const Clock::time_point now = Clock::now();
  if (!waiting_since_) waiting_since_ = now;
  const std::size_t fired = results_so_far_();
  if (fired > expected || now - *waiting_since_ > kPatience) {
    throw std::runtime_error(fmt::format(
        "before step {} of the case {} results came out, expected {}", next_, fired, expected));
  }
  return fired == expected && now - *waiting_since_ >= kQuiet;
}

}  // namespace tidemark::test_support
