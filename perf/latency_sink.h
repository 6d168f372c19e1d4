// Consumes results on the core that made them, and records how late each one is.
#pragma once

#include <cstdint>

#include "tidemark/operators/sink.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/latency_recorder.h"
#include "tidemark/perf/load_schedule.h"

namespace tidemark {

// A result's latency is the time it arrives here minus the time at which the row that completes its
// window was due: the first row with an event time of at least window end + delay. It counts from
// the schedule, not from when the row was really sent, so a system that holds up its own load is
// charged for it. The clock is read once for each batch of results.
class LatencySink final : public ResultSink {
 public:
  // `stream` and `schedule` outlive the sink. Results that a row before `first_counted` completes
  // are left out, and so are those that only the end of the stream completes.
  LatencySink(const BenchStream& stream, const LoadSchedule& schedule, std::int64_t delay,
              std::uint64_t first_counted, ClockReading now = Clock::now);

  void accept(const Batch& results) override;

  const LatencyRecorder& latencies() const { return latencies_; }

 private:
  void record(EventTime window_end, std::uint64_t results, Clock::time_point now);

  const BenchStream& stream_;
  const LoadSchedule& schedule_;
  std::int64_t delay_;
  std::uint64_t first_counted_;
  ClockReading now_;
  LatencyRecorder latencies_;
};

}  // namespace tidemark
