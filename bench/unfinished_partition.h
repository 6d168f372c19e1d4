// Measures a stream without its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "tidemark/operators/source.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark::bench {

// Ends as if the run was interrupted after the last row, which leaves open windows alone.
class UnfinishedPartition final : public SourcePartition {
 public:
  UnfinishedPartition(std::unique_ptr<SourcePartition> partition, std::atomic<std::size_t>& running,
                      Cancellation& cancellation)
      : partition_(std::move(partition)), running_(running), cancellation_(cancellation) {}

  PollStatus poll(Batch& batch) override {
    const PollStatus status = partition_->poll(batch);
    if (status != PollStatus::kEnd) return status;
    // Any order will do: the count only has to reach zero once.
    if (!std::exchange(ended_, true) && running_.fetch_sub(1, std::memory_order_relaxed) == 1) {
      cancellation_.request();
    }
    return PollStatus::kPending;
  }

 private:
  std::unique_ptr<SourcePartition> partition_;
  std::atomic<std::size_t>& running_;
  Cancellation& cancellation_;
  bool ended_ = false;
};

}  // namespace tidemark::bench
