// Decides how a query runs, and says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/cost_model.h"
#include "tidemark/operators/query.h"

namespace tidemark {

// The plan of one window specification.
struct WindowPlan {
  WindowSpec window;
  std::string zone;  // empty: UTC
  // How long fired windows are kept for late rows, in ms of event time.
  std::int64_t lateness = 0;
  Strategy strategy = Strategy::kBuckets;
  std::string reason;  // why this strategy, for people
  // One state per key and window with a trigger, instead of slices; `reason` says why.
  bool leaves_shared_path = false;
  // Sessions that need no trigger: each key has its open sessions with it.
  bool keeps_sessions_by_key = false;

  std::int64_t slices_per_slide = 1;
  std::int64_t slices_per_window = 1;
  StateSize state_size;  // per entry, without its 8-byte header
  // Beside that states hold as much as their values take, which is not predicted.
  bool states_grow = false;

  UnitCost cost;
  // Base intervals: instead of merges per entry, where every slice has rows of every key; and how
  // many windows share the slices.
  double merges_per_result = 0;
  std::size_t shared_by = 1;
  // Only if the shape of the stream was given.
  std::optional<StreamShape> stream;
  std::optional<StreamCost> stream_cost;
  // What of that is not known, for people; may be empty.
  std::string not_predicted;
};

// What of the cost of a stream is predicted: for windows that share one set of slices that takes up
// to some tenths of a second, and a run needs it only to choose.
enum class Predictions : std::uint8_t { kAll, kToChoose };

// `query` is valid. What is known of the stream decides between strategies that are left open, and
// makes the predicted cost more than a rate per row and entry; results do not depend on it.
std::vector<WindowPlan> plan_query(const WindowQuery& query,
                                   const std::optional<StreamShape>& stream = std::nullopt,
                                   Predictions predictions = Predictions::kAll);

// Several lines for people: slices, strategy and why, predicted cost.
std::string to_string(const WindowPlan& plan);

}  // namespace tidemark
