#include "tidemark/perf/bench_source.h"

#include <algorithm>
#include <utility>

namespace tidemark {

BenchPartition::BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards)
    : stream_(stream), shard_(shard), next_(shard), stride_(shards) {}

BenchPartition::BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards,
                               LoadSchedule& schedule, std::uint64_t first_counted,
                               HandOverLog& log, ClockReading now)
    : stream_(stream),
      shard_(shard),
      next_(shard),
      stride_(shards),
      schedule_(&schedule),
      log_(&log),
      now_(std::move(now)),
      lag_(first_counted, stream.rows()) {}

void BenchPartition::start(Parker&) {
  if (schedule_ != nullptr) schedule_->begin(now_());
}

std::uint64_t BenchPartition::left_below(std::uint64_t end) const {
  return next_ >= end ? 0 : (end - next_ + stride_ - 1) / stride_;
}

PollStatus BenchPartition::poll(Batch& batch) {
  std::uint64_t left = left_below(stream_.rows());
  if (left == 0) return PollStatus::kEnd;
  const std::uint64_t room = batch.capacity() - batch.size();
  if (schedule_ == nullptr) {
    take(batch, static_cast<std::size_t>(std::min(left, room)));
    return PollStatus::kRows;
  }
  const Clock::time_point now = now_();
  if (schedule_->is_over(now)) {
    schedule_->cut_off(next_);
    lag_.cut_off(now - schedule_->due(next_));
    return PollStatus::kEnd;
  }
  left = left_below(std::min(stream_.rows(), schedule_->due_count(now)));
  if (left == 0) return PollStatus::kPending;
  // The first row that is handed out has waited longest.
  lag_.note(next_, now - schedule_->due(next_));
  take(batch, static_cast<std::size_t>(std::min(left, room)));
  log_->note(next_, now);
  return PollStatus::kRows;
}

void BenchPartition::take(Batch& batch, std::size_t count) {
  const std::size_t at = batch.size();
  stream_.fill(next_, stride_, count, batch.times() + at, batch.column(0).int64s() + at,
               batch.column(1).int64s() + at);
  batch.set_size(at + count);
  next_ += count * stride_;
}

std::optional<Clock::time_point> BenchPartition::ready_at() const {
  if (schedule_ == nullptr || next_ >= stream_.rows()) return std::nullopt;
  return schedule_->due(next_);
}

}  // namespace tidemark
