// The state of one window specification in one window stage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/event_time_range.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/result_emitter.h"
#include "tidemark/operators/work_phases.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// What became of a row, as bits: over several specifications they are joined.
enum RowOutcome : std::uint8_t {
  kInNoWindow = 0,
  kHadWindow = 1,  // some window holds the row's time, open or not
  kAccepted = 2,   // some open window took the row
};

// A run of rows with their key slots. At most kRows, so that what a chunk touches stays in the
// first-level cache from one loop to the next.
struct RowChunk {
  static constexpr std::size_t kRows = 256;

  const Batch& batch;
  std::size_t first_value;  // the batch's first value column
  std::size_t begin;        // first row of the chunk
  std::span<const std::uint32_t> slots;
  std::size_t slot_count;    // slots in use are below this
  std::uint32_t never_null;  // see AggregateLayout::never_null
  std::uint64_t stamp;       // never the same for two chunks
  // What the watermark is before each row, where rows carry it; otherwise null, and it is for all
  // of them what advance() was last told.
  const EventTime* watermarks = nullptr;

  const EventTime* times() const { return batch.times() + begin; }
  std::size_t size() const { return slots.size(); }

  // Whether the times of all rows are in [first, end).
  bool all_within(EventTime first, EventTime end) const {
    return tidemark::all_within({times(), size()}, first, end);
  }
};

// The outcome of all of n rows.
inline void add_outcome(RowOutcome outcome, std::size_t n, std::uint8_t* outcomes) {
  for (std::size_t i = 0; i < n; ++i) outcomes[i] |= outcome;
}

struct WindowStateCounters {
  std::uint64_t updates = 0;
  std::uint64_t merges = 0;
  std::uint64_t windows_fired = 0;
  std::uint64_t expired_windows = 0;
  std::uint64_t timers_put_off = 0;
  std::uint64_t peak_live_entries = 0;
};

// Lateness is judged per window: a row enters exactly the windows that are open at the watermark
// before it. Not thread-safe.
class WindowState {
 public:
  virtual ~WindowState() = default;

  // Rows of these slots will be added one by one: a state may fetch what it has for them.
  virtual void expect(std::span<const std::uint32_t> slots) { (void)slots; }

  // Whether rows that carry watermarks must come one by one, each after advance() to the watermark
  // before it and a fire() that has returned true. States with slices need not, since batches are
  // cut at their edges: no such watermark completes one of their windows.
  virtual bool takes_rows_singly() const { return false; }

  // Adds the rows to the open windows that hold them, and sets bits in outcomes[i].
  virtual void add(const RowChunk& rows, std::uint8_t* outcomes) = 0;

  // Adds partial states of rows (batch.states(), as LocalPanes sends them), each from rows of one
  // key and slice whose windows are all open. Only of windows that such states can stand for:
  // refuses_local_aggregation().
  virtual void add_partials(const RowChunk& partials);

  // Every window with end - 1 <= watermark is due. Only after fire() has returned true.
  virtual void advance(EventTime watermark) = 0;

  // Emits due windows in order of their end. False: the emitter had no room; call again.
  virtual bool fire(ResultEmitter& emitter) = 0;
  // The same, and says where the time goes.
  virtual bool fire_in_phases(ResultEmitter& emitter, PhaseClock& phases);

  // A watermark up to which fire() emits about `results` results, or, where a single window has
  // more, what ends together: for a caller that raises the watermark in steps, so that what waits
  // downstream for it stays little. Never below what advance() was last told. kEndOfTime where no
  // more can be due than is held one by one anyway. Between a fire() that has returned true and
  // advance().
  virtual EventTime firing_limit(std::size_t results) const {
    (void)results;
    return kEndOfTime;
  }

  // When the clock (ms since the epoch) matters next for fire(); nothing if it does not.
  virtual std::optional<EventTime> next_processing_time() const { return std::nullopt; }

  // Entries held now, in all panes and logs.
  virtual std::size_t live_entries() const = 0;
  // Adds the number of entries of each slot to counts[slot], for all slots there are:
  // live_entries() together. Walks all state. Only of windows with slices, without allowed
  // lateness.
  virtual void count_entries(std::span<std::uint64_t> counts);
  // Windows that hold rows and have not fired.
  virtual std::size_t open_windows() const = 0;

  // Keys are dropped from the key table once no state names their slots. What follows is called
  // between add(), advance() and a fire() that has returned true, in any such place.

  // At least as many keys as mark_live() would mark; for free, so not always exact.
  virtual std::size_t most_live_keys() const { return live_entries(); }

  // Marks every slot that will be read again: in entries, timers, results that are still to come,
  // and previous results. What is not marked by any state goes to another key without notice, so
  // whatever else is kept by slot must then be as for a key that was never seen.
  virtual void mark_live(LiveSlots& live) = 0;

  // Now and then slots are made dense again: names all slots anew, moves what is kept by slot to
  // its new place, and lets go of all memory that is not in use, since far more was in use before.
  // Comes right after mark_live(), and all slots that were marked then are live in `map`.
  virtual void renumber(const SlotMap& map) = 0;

  const WindowStateCounters& counters() const { return counters_; }

 protected:
  void note_live_entries() {
    if (live_entries() > counters_.peak_live_entries) counters_.peak_live_entries = live_entries();
  }

  WindowStateCounters counters_;
};

inline void WindowState::add_partials(const RowChunk&) {
  throw std::logic_error("these windows take rows and no partial states");
}

inline bool WindowState::fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) {
  const bool done = fire(emitter);
  phases.stamp(WorkPhase::kFire);
  return done;
}

inline void WindowState::count_entries(std::span<std::uint64_t> /*counts*/) {
  throw std::logic_error("the entries of these windows cannot be counted by key");
}

}  // namespace tidemark
