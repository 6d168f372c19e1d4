// What windows that have fired say when a late row comes: in each mode of accumulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "tidemark/operators/firing_output.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/result_comparison.h"

namespace tidemark {

// Knows how often the window of a key has fired, for those alone that have fired late: neighbours
// that have fired as often share one place. Any other has fired once if the key had rows in it, on
// time. What a window has said before is not kept: its state before the late row tells. Not
// thread-safe.
class LateFirings {
 public:
  LateFirings(const WindowQuery& query, std::uint32_t specification, const AggregateLayout& layout,
              std::pmr::memory_resource& memory);

  // How long windows are kept after they have fired, in ms of event time.
  std::int64_t lateness() const { return query_.lateness; }
  // A firing reports the late row alone, and not what the window holds.
  bool discards() const { return query_.accumulation == Accumulation::kDiscarding; }

  // A late row of `slot` fires windows among [first, last]: each that fires is told by fire(), in
  // any order, and the last is followed by end().
  void begin(std::uint32_t slot, std::int64_t first, std::int64_t last);
  // `before` and `after` are what the window held without the row and holds with it; null: nothing.
  // Where firings discard, `after` is the row alone, and of `before` only whether it is null
  // counts.
  void fire(std::int64_t window, EventTime start, EventTime end, const std::byte* before,
            const std::byte* after);
  void end();

  // Sends results on; false: the emitter had no room. Call again before the next row.
  bool drain(ResultEmitter& emitter) { return output_.drain(emitter); }

  // Windows below this do not fire again.
  void forget_before(std::int64_t window);

  void mark_live(LiveSlots& live) const;
  void renumber(const SlotMap& map);

 private:
  // Windows [first, last] have fired so often.
  struct Run {
    std::int64_t first;
    std::int64_t last;
    std::uint32_t firings;
  };
  using Runs = std::pmr::vector<Run>;  // rising

  void read(const Runs& runs);
  void write(Runs& runs) const;
  static void append(Runs& runs, const Run& run);

  const WindowQuery& query_;
  FiringOutput output_;
  ResultComparison comparison_;
  std::pmr::unordered_map<std::uint32_t, Runs> slots_;
  // Which slots may have a last run that ends with a window.
  std::pmr::map<std::int64_t, std::pmr::vector<std::uint32_t>> ends_;
  std::int64_t first_kept_ = kNoWatermark;

  // Of the row that fires: firings of the windows from first_ on, 0 where they are not known.
  std::uint32_t slot_ = 0;
  std::int64_t first_ = 0;
  std::pmr::vector<std::uint32_t> firings_;
};

}  // namespace tidemark
