// A windowed aggregation, described with names and types known at run time. The typed C++ face and
// the command line both come down to this.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/window_spec.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

struct WindowQuery {
  static constexpr std::size_t kMaxValues = 32;

  // Columns of the rows: keys first, then values, then columns that only travel along for the late
  // output. Keys are int64 or string; values int64 or double,
  // at most kMaxValues of them.
  Schema keys;
  Schema values;
  Schema carried;

  std::vector<WindowSpec> windows;        // at least one
  std::vector<AggregateSpec> aggregates;  // at least one
  Strategy strategy = Strategy::kAuto;

  // Bounded out-of-orderness in ms: a partition's watermark is its highest time - delay - 1.
  std::int64_t delay = 0;
  // A partition whose watermark is this many ms ahead of the slowest one's is not read until that
  // has come nearer; without it the faster partitions' rows pile up in window state.
  std::optional<std::int64_t> max_drift;
  // A partition silent for this many ms is idle and stops holding the watermark.
  std::optional<std::int64_t> idle_timeout;

  // keys, values, carried: the schema of source batches.
  Schema row_schema() const;
  // window_start, window_end (int64 ms), keys, aggregates: the schema of result batches, whose
  // event time is window_end - 1.
  Schema result_schema() const;
};

// Refuses what cannot run, in one sentence: no window, bad sizes, unknown inputs, a strategy that
// an aggregate's algebra does not allow, negative delay.
Expected<void> validate(const WindowQuery& query);

}  // namespace tidemark
