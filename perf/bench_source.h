// The generated stream as source partitions, unpaced or by an open-loop schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tidemark/operators/source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/hand_over_log.h"
#include "tidemark/perf/load_schedule.h"
#include "tidemark/perf/schedule_lag.h"

namespace tidemark {

// Reads the time, once for each batch.
using ClockReading = std::function<Clock::time_point()>;

// Rows shard, shard + shards, ... of a stream. The work per row is in loops over whole batches.
class BenchPartition final : public SourcePartition {
 public:
  // As fast as rows are taken. `stream` outlives the partition, and `shard` is below `shards`.
  BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards);

  // Every row when it is due by `schedule`, and at once if that is in the past: a schedule that
  // falls behind does not stretch. Lag counts from row `first_counted` of the whole stream on.
  // `log` has when rows were handed over. Both outlive the partition. Ends with rows unsent when
  // the schedule is over.
  BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards,
                 LoadSchedule& schedule, std::uint64_t first_counted, HandOverLog& log,
                 ClockReading now = Clock::now);

  void start(Parker& driver) override;
  PollStatus poll(Batch& batch) override;
  std::optional<Clock::time_point> ready_at() const override;

  // Read after the run.
  const ScheduleLag& lag() const { return lag_; }
  std::uint64_t rows_sent() const { return (next_ - shard_) / stride_; }

 private:
  // Rows of this shard below row `end` of the stream that have not been handed out.
  std::uint64_t left_below(std::uint64_t end) const;
  // Hands out `count` rows, of those that are left.
  void take(Batch& batch, std::size_t count);

  const BenchStream& stream_;
  std::uint64_t shard_;
  std::uint64_t next_;
  std::uint64_t stride_;
  LoadSchedule* schedule_ = nullptr;
  HandOverLog* log_ = nullptr;  // not null with a schedule
  ClockReading now_;
  ScheduleLag lag_;
};

}  // namespace tidemark
