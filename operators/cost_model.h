// What the windows of one specification cost with a strategy, before anything runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

// Holds for any stream. Counted as the run report counts (StateCounters): a merge is one state of
// one key merged into, folded with, restored to or subtracted from another.
struct UnitCost {
  // Entries that a row updates, in the mean over the rows that are in a window.
  double updates_per_row = 1;
  // Merges per entry of a slice, from when it is sealed until it has left.
  double merges_per_entry = 0;
  // Merges of all live entries that one firing may do beside.
  double flips_at_worst = 0;
};

// `strategy` is not kAuto; for what kBaseIntervals merges see base_interval_costs(). Windows are
// tumbling, sliding or cumulate.
UnitCost unit_cost(const WindowSpec& window, Strategy strategy);

// Of a stream whose shape is known, once windows are full, over all cores together. Rows are taken
// to be evenly spaced in event time and in order; means, where they depend on chance. Of windows
// without a slide, "per slide" is per second of event time.
struct StreamCost {
  double rows_per_slide = 0;
  // Entries that are sealed per slide.
  double entries_per_slide = 0;
  double merges_per_slide = 0;
  // Of the most expensive firing.
  double worst_merges = 0;
  double results_per_slide = 0;
  // Entries at most at one time.
  double live_entries = 0;
  // Bytes of these, each with its header; of the running states of live keys; and of the index of
  // the open slices. The key table is not in it: its bytes depend on the keys' text.
  double entry_bytes = 0;
  double running_bytes = 0;
  double index_bytes = 0;
  // And of what handles stand for: see growing_cost().
  double grown_bytes = 0;

  double state_bytes() const { return entry_bytes + running_bytes + index_bytes + grown_bytes; }
};

// Bytes of the states of one entry, and of those that running rows have only once since they can be
// undone exactly (see AggregateLayout).
struct StateSize {
  std::size_t all = 0;
  std::size_t undone = 0;
};
StateSize state_size(const AggregateLayout& layout);

// How far windows are behind the rows, in ms of event time: the watermark waits for so much
// disorder, and windows that have fired are kept for so long. The row that raises the watermark is
// in its window before others fire.
struct StreamLag {
  std::int64_t delay = 0;
  std::int64_t lateness = 0;
};

// Cumulate windows: means over a period, except live_entries and bytes, which are those at its end.
StreamCost stream_cost(const WindowSpec& window, Strategy strategy, const StateSize& state,
                       const StreamShape& stream, const StreamLag& lag = {});

struct StrategyChoice {
  Strategy strategy;
  const char* reason;  // for people
};

// The strategy that is predicted to cost least, in updates and merges, of those without spikes.
// Without a stream, most keys are taken to have several rows in a slice.
StrategyChoice choose_strategy(const WindowSpec& window, bool exactly_invertible,
                               const std::optional<StreamShape>& stream);

}  // namespace tidemark
