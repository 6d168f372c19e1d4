// Lets another thread watch how far a source has come.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "tidemark/operators/source.h"

namespace tidemark {

// Passes everything on and counts the rows.
class CountingPartition : public SourcePartition {
 public:
  // `rows` must outlive this.
  CountingPartition(std::unique_ptr<SourcePartition> source, std::atomic<std::uint64_t>& rows)
      : source_(std::move(source)), rows_(rows) {}

  PollStatus poll(Batch& batch) override {
    const std::size_t before = batch.size();
    const PollStatus status = source_->poll(batch);
    // Relaxed: a figure for people, which orders nothing.
    rows_.fetch_add(batch.size() - before, std::memory_order_relaxed);
    return status;
  }
  void start(Parker& driver) override { source_->start(driver); }
  void stop() override { source_->stop(); }
  std::optional<Clock::time_point> ready_at() const override { return source_->ready_at(); }
  std::uint64_t bad_rows() const override { return source_->bad_rows(); }

 private:
  std::unique_ptr<SourcePartition> source_;
  std::atomic<std::uint64_t>& rows_;
};

}  // namespace tidemark
