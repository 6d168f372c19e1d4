// The generated stream as source partitions, unpaced or by an open-loop schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "tidemark/operators/source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/load_schedule.h"

namespace tidemark {

// How far behind its schedule a partition handed out rows, from the rows that count.
struct ScheduleLag {
  Clock::duration highest{};
  Clock::duration last{};  // of the last rows

  void merge(const ScheduleLag& other) {
    highest = std::max(highest, other.highest);
    last = std::max(last, other.last);
  }
};

// Reads the time, once for each batch.
using ClockReading = std::function<Clock::time_point()>;

// Rows shard, shard + shards, ... of a stream. The work per row is in loops over whole batches.
class BenchPartition final : public SourcePartition {
 public:
  // As fast as rows are taken. `stream` outlives the partition, and `shard` is below `shards`.
  BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards);

  // Every row when it is due by `schedule`, which outlives the partition, and at once if that is in
  // the past: a schedule that falls behind does not stretch. Lag counts from row `first_counted`
  // of the whole stream on.
  BenchPartition(const BenchStream& stream, std::uint64_t shard, std::uint64_t shards,
                 LoadSchedule& schedule, std::uint64_t first_counted,
                 ClockReading now = Clock::now);

  void start(Parker& driver) override;
  PollStatus poll(Batch& batch) override;
  std::optional<Clock::time_point> ready_at() const override;

  // Read after the run.
  const ScheduleLag& lag() const { return lag_; }

 private:
  // Rows of this shard below row `end` of the stream that have not been handed out.
  std::uint64_t left_below(std::uint64_t end) const;
  void note_lag(Clock::time_point now);

  const BenchStream& stream_;
  std::uint64_t next_;
  std::uint64_t stride_;
  LoadSchedule* schedule_ = nullptr;
  std::uint64_t first_counted_ = 0;
  ClockReading now_;
  ScheduleLag lag_;
};

}  // namespace tidemark
