// A window stage by itself on the calling thread, so that all it does and allocates is repeatable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "support/collecting_sink.h"
#include "tidemark/operators/plan.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/window_operator.h"

namespace tidemark::test_support {

// Results go to a sink as they come, in batches of `result_rows`. With `refusals`, every other
// request for a result batch is refused, so that firings are interrupted everywhere.
class WindowStage final : public ResultOutput {
 public:
  WindowStage(const WindowQuery& query, ResultSink& sink, KeyCollection collection,
              std::size_t result_rows = Batch::kDefaultCapacity, bool refusals = false,
              const WallClock& clock = system_wall_clock);

  // Fills the hashes of a batch of the query's row schema and adds it.
  void add(Batch& rows);
  // The same row by row, with the watermark before each of them.
  void add_in_time(Batch& rows, std::span<const EventTime> watermarks);
  // Fires all windows that are due.
  void advance(EventTime watermark);
  // Fires what the clock has made due.
  void follow_clock();
  // When the clock matters next.
  std::optional<EventTime> next_processing_time() const { return operator_.next_processing_time(); }
  void finish() { advance(kEndOfTime); }
  // Sends on what rows have fired.
  void flush() { operator_.emitter().flush(); }

  // Without what a report counts only at the end.
  StateCounters state() const;
  std::size_t late_rows() const { return late_count_; }

  Batch* acquire() override;
  void deliver(Batch* results) override;
  // Either way with the same results.
  bool reads_in_place() const override { return !refusals_; }

 private:
  const WindowQuery& query_;
  ResultSink& sink_;
  Batch results_;
  bool refusals_;
  bool refused_ = false;
  std::vector<std::uint16_t> late_;
  std::vector<EventTime> late_watermarks_;
  std::size_t late_count_ = 0;
  WindowOperator operator_;
};

}  // namespace tidemark::test_support
