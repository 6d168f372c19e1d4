// A windowed aggregation, described with names and types known at run time. The typed C++ face and
// the command line both come down to this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/operators/firing.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/window_spec.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

class Trigger;
class Evictor;

// Where a partition's watermarks come from.
enum class WatermarkKind : std::uint8_t {
  kBounded,     // bounded out-of-orderness: highest time - delay - 1; delay 0 is monotonous
  kPunctuated,  // rows say so: a column of the input, see WindowQuery::watermark_column()
  kNone,        // never; windows fire at the end of the input
};

enum class TimeDomain : std::uint8_t {
  kEvent,
  kProcessing,  // the time of a row is the clock's when its source task reads it
};

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

  // Windows are cut on the wall clock of this IANA zone; empty: UTC. An hour that the clock shows
  // twice is one hour of windows, and one that it skips is none.
  std::string zone;
  TimeDomain time_domain = TimeDomain::kEvent;

  // Fired windows are kept for so many ms of event time more and fire again on late rows, at once.
  std::int64_t lateness = 0;
  EarlyFiring early;
  Accumulation accumulation = Accumulation::kAccumulating;
  // A firing whose result is the same as the one before is left out unless this is set.
  bool repeat_unchanged = false;
  // Results have the columns pane, pane_index and change at their end.
  bool reports_panes = false;
  // Instead of firing early, on time and late as said above; may be null.
  std::shared_ptr<const Trigger> trigger;
  // May be null. Windows then keep their rows.
  std::shared_ptr<const Evictor> evictor;
  // State of a key's window that has had no row for so many ms of event time is dropped.
  std::optional<std::int64_t> state_ttl;

  WatermarkKind watermarks = WatermarkKind::kBounded;
  // Bounded out-of-orderness in ms: a partition's watermark is its highest time - delay - 1.
  std::int64_t delay = 0;
  // A partition whose watermark is this many ms ahead of the slowest one's is not read until that
  // has come nearer; without it the faster partitions' rows pile up in window state.
  std::optional<std::int64_t> max_drift;
  // A partition silent for this many ms is idle and stops holding the watermark.
  std::optional<std::int64_t> idle_timeout;
  // A row more than this many ms ahead of the highest event time before it is bad.
  std::optional<std::int64_t> max_ahead;

  // Whether a window shares slices with its neighbours, or at least needs nothing but its edges:
  // then watermarks are cut at edges. Otherwise the reason, for people.
  std::optional<std::string> leaves_shared_path(const WindowSpec& window) const;
  // Whether rows carry the watermark as of their arrival, in the last column of row_schema().
  bool carries_watermarks() const;
  // The index of that column.
  std::size_t watermark_column() const { return keys.size() + values.size() + carried.size(); }

  // keys, values, carried, and with carries_watermarks() an int64 column `watermark`: the schema of
  // source batches. The source task fills in the last; with kPunctuated the partition writes the
  // watermark that holds after each row there, kNoWatermark or NULL for none.
  Schema row_schema() const;
  // window_start, window_end (int64 ms), keys, aggregates, and with reports_panes pane (string),
  // pane_index (int64) and change (string): the schema of result batches, whose event time is
  // window_end - 1. A global window's bounds are kNoWatermark and kEndOfTime.
  Schema result_schema() const;
};

// Refuses what cannot run, in one sentence: no window, bad sizes, an unknown zone, unknown inputs,
// a strategy that an aggregate's algebra does not allow, negative delay.
Expected<void> validate(const WindowQuery& query);

}  // namespace tidemark
