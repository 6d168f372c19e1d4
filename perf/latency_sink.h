// Consumes results on the core that made them, and records how late each one is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tidemark/operators/sink.h"
#include "tidemark/operators/window_spec.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/hand_over_log.h"
#include "tidemark/perf/load_schedule.h"
#include "tidemark/perf/recording_cost.h"
#include "tidemark/perf/result_latencies.h"

namespace tidemark {

// What a load leaves for those who measure against it. Outlives the sinks.
struct LoadRecord {
  const BenchStream& stream;
  const LoadSchedule& schedule;
  // Of partition i of the stream's shards.
  std::vector<std::unique_ptr<HandOverLog>> hand_overs;
  // Results that a row before this one completes are left out.
  std::uint64_t first_counted = 0;
};

// See ResultLatencies. Results that only the end of the stream completes are left out, where
// it is cut off as well. Nothing is
// asked of the engine: instants follow from a result's window end and from when rows were handed
// over. The clock is read once for each batch of results, and instants are looked up once for each
// window end; recording allocates nothing.
class LatencySink final : public ResultSink {
 public:
  // `window` and `delay` (ms) are those of the query.
  LatencySink(const LoadRecord& load, const WindowSpec& window, std::int64_t delay,
              ClockReading now = Clock::now);

  void accept(const Batch& results) override;

  const ResultLatencies& latencies() const { return latencies_; }
  const RecordingCost& cost() const { return cost_; }

 private:
  // From where the latencies of results with one window end count.
  struct Origin {
    EventTime window_end = kNoWatermark;
    bool counted = false;
    Clock::time_point due;
    std::optional<Clock::time_point> hand_over;
    std::optional<Clock::time_point> watermark;
  };

  Origin origin_of(EventTime window_end) const;
  std::optional<Clock::time_point> watermark_entry(EventTime completing) const;
  void record(std::uint64_t results, Clock::time_point now);

  const LoadRecord& load_;
  bool ends_rise_;    // within a batch of results
  std::int64_t gap_;  // of sessions; else 0
  std::int64_t delay_;
  bool fires_by_watermark_;
  ClockReading now_;
  Origin origin_;
  ResultLatencies latencies_;
  RecordingCost cost_;
};

}  // namespace tidemark
