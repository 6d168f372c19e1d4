// What windows cost that share one set of slices and what neighbouring slices add up to, before
// anything runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/operators/cost_model.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

// Of strategy kBaseIntervals (see BaseIntervals): what `windows`, which share their slices, cost
// once they are full, one after the other. Found by letting them fire over intervals that have
// expected numbers of keys in the place of states. `any_grouping` as BaseIntervals has it. Rows are
// taken to be evenly spaced in event time and in order; the watermark is `delay` ms behind them.
//
// Merges are those of the window's own firings, with the intervals that they are the first to need;
// entries, live entries and bytes are of all windows together. Empty where slices are too many to
// be walked: a quarter of a million in the longest window. No more than kMostFirings firings are
// walked, which takes some tenths of a second at most.
inline constexpr std::size_t kMostFirings = 20'000;
std::vector<StreamCost> base_interval_costs(const std::vector<WindowSpec>& windows,
                                            bool any_grouping, const StateSize& state,
                                            const StreamShape& stream, std::int64_t delay = 0);

}  // namespace tidemark
