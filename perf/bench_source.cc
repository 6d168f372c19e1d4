#include "tidemark/perf/bench_source.h"

#include <algorithm>
#include <utility>

namespace tidemark {

BenchPartition::BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards)
    : stream_(stream), next_(shard), stride_(shards) {}

BenchPartition::BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards,
                               LoadSchedule& schedule, std::uint64_t first_counted,
                               ClockReading now)
    : stream_(stream),
      next_(shard),
      stride_(shards),
      schedule_(&schedule),
      first_counted_(first_counted),
      now_(std::move(now)) {}

void BenchPartition::start(Parker&) {
  if (schedule_ != nullptr) schedule_->begin(now_());
}

std::uint64_t BenchPartition::left_below(std::uint64_t end) const {
  return next_ >= end ? 0 : (end - next_ + stride_ - 1) / stride_;
}

PollStatus BenchPartition::poll(Batch& batch) {
  std::uint64_t left = left_below(stream_.rows());
  if (left == 0) return PollStatus::kEnd;
  if (schedule_ != nullptr) {
    const Clock::time_point now = now_();
    left = left_below(std::min(stream_.rows(), schedule_->due_count(now)));
    if (left == 0) return PollStatus::kPending;
    note_lag(now);
  }
  const std::size_t at = batch.size();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, batch.capacity() - at));
  stream_.fill(next_, stride_, count, batch.times() + at, batch.column(0).int64s() + at,
               batch.column(1).int64s() + at);
  batch.set_size(at + count);
  next_ += count * stride_;
  return PollStatus::kRows;
}

// The first row that is handed out has waited longest.
void BenchPartition::note_lag(Clock::time_point now) {
  if (next_ < first_counted_) return;
  lag_.last = now - schedule_->due(next_);
  lag_.highest = std::max(lag_.highest, lag_.last);
}

std::optional<Clock::time_point> BenchPartition::ready_at() const {
  if (schedule_ == nullptr || next_ >= stream_.rows()) return std::nullopt;
  return schedule_->due(next_);
}

}  // namespace tidemark
