#include "support/vector_partition.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::test_support {

VectorPartition::VectorPartition(std::vector<Row> rows, Pace pace)
    : rows_(std::move(rows)), pace_(pace), random_(pace.seed) {}

PollStatus VectorPartition::poll(Batch& batch) {
  ready_at_.reset();
  if (next_ == rows_.size()) return PollStatus::kEnd;
  if (std::bernoulli_distribution(pace_.pending_share)(random_)) return pause();
  const std::size_t run = std::uniform_int_distribution<std::size_t>(1, pace_.longest_run)(random_);
  const std::size_t room = batch.capacity() - batch.size();
  const std::size_t count = std::min({run, room, rows_.size() - next_});
  for (std::size_t i = 0; i < count; ++i) append_row(batch, rows_[next_++]);
  return count == 0 ? PollStatus::kPending : PollStatus::kRows;
}

PollStatus VectorPartition::pause() {
  if (driver_ != nullptr && std::bernoulli_distribution(0.5)(random_)) {
    driver_->unpark();
  } else {
    ready_at_ = Clock::now() + std::chrono::microseconds(20);
  }
  return PollStatus::kPending;
}

}  // namespace tidemark::test_support
