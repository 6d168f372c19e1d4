#include "tidemark/perf/recording_cost.h"

#include <algorithm>
#include <numeric>

#include "tidemark/perf/hand_over_log.h"

namespace tidemark {

RecordingCost::RecordingCost() { samples_.reserve(kSamples); }

void RecordingCost::add_sample(Clock::duration took) {
  if (samples_.size() < kSamples) {
    samples_.push_back(took);
  } else {
    samples_[taken_ % kSamples] = took;
  }
  ++taken_;
}

void RecordingCost::merge(const RecordingCost& other) {
  calls_ += other.calls_;
  results_ += other.results_;
  samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
}

double RecordingCost::total_seconds() const {
  if (samples_.empty()) return 0;
  std::vector<Clock::duration> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t kept = std::max<std::size_t>(1, sorted.size() * 99 / 100);
  const Clock::duration sum = std::accumulate(
      sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(kept), Clock::duration::zero());
  return std::chrono::duration<double>(sum).count() / static_cast<double>(kept) *
         static_cast<double>(calls_);
}

double hand_over_note_seconds() {
  constexpr std::uint64_t kCalls = 20'000;
  HandOverLog log;
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t row = 0; row < kCalls; ++row) log.note(row, begin);
  return std::chrono::duration<double>(Clock::now() - begin).count() / kCalls;
}

}  // namespace tidemark
