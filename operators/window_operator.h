// The window stage by itself: keyed rows and watermarks in, results and late rows out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/operators/key_collection.h"
#include "tidemark/operators/key_table.h"
#include "tidemark/operators/late_firings.h"
#include "tidemark/operators/plan.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/result_emitter.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/state_blocks.h"
#include "tidemark/operators/watermark_strategy.h"
#include "tidemark/operators/window_state.h"
#include "tidemark/operators/work_phases.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark {

// Rows judged so far.
struct RowOutcomes {
  std::uint64_t on_time = 0;
  std::uint64_t late = 0;
  std::uint64_t in_no_window = 0;
};

// All window specifications of a query over one stage's share of the keys. Not thread-safe.
class WindowOperator {
 public:
  // `processing_clock` is for triggers by processing time.
  WindowOperator(const WindowQuery& query, const std::vector<WindowPlan>& plans,
                 ResultOutput& output, KeyCollection collection = KeyCollection::kWhenDue,
                 const WallClock& processing_clock = system_wall_clock);

  // Adds all rows of a batch (schema WindowQuery::row_schema, hashes filled) at the current
  // watermark, and appends the numbers of late rows: those whose windows are all closed. Windows
  // that have fired and are kept for late rows fire again. False: the output had no room for that;
  // call again with the same rows.
  bool add(const Batch& rows, std::vector<std::uint16_t>& late_rows);

  // The same for queries whose rows carry watermarks: row i is judged at watermarks[i], as if the
  // watermark rose to that and everything due was fired before it. Where windows have edges that
  // are known ahead, no watermark behind the first may pass one. All that is due at the last one
  // has been fired then. Appends each late row's watermark too. False: the output had no room; call
  // again with the same rows.
  bool add_in_time(const Batch& rows, std::span<const EventTime> watermarks,
                   std::vector<std::uint16_t>& late_rows, std::vector<EventTime>& late_watermarks);

  // Adds partial states in the place of rows: see WindowState::add_partials.
  void add_partials(const Batch& partials);

  // Raises the watermark; then call fire() until it is true before adding more rows.
  void advance(EventTime watermark);
  // Emits windows that are due. False: the output had no room; call again when it has.
  bool fire();

  // The same three, saying where the time goes. Only of queries without allowed lateness whose rows
  // carry no watermarks.
  bool add_in_phases(const Batch& rows, std::vector<std::uint16_t>& late_rows, PhaseClock& phases);
  void advance_in_phases(EventTime watermark, PhaseClock& phases);
  bool fire_in_phases(PhaseClock& phases);

  EventTime watermark() const { return watermark_; }
  RowOutcomes rows() const { return {on_time_, late_, in_no_window_}; }
  // When to call fire() again because of the clock; nothing if the clock does not matter.
  std::optional<EventTime> next_processing_time() const;
  ResultEmitter& emitter() { return emitter_; }
  std::size_t open_windows() const;

  // Entries held now, and what window state (without the key table) takes in the allocator; cheap.
  std::size_t live_entries() const;
  std::size_t window_bytes() const { return window_memory_.bytes(); }
  // Entries held now by slot, and the key of a slot as text. Walks all state: see
  // WindowState::count_entries().
  std::vector<std::uint64_t> entries_by_slot() const;
  std::string key_text(std::uint32_t slot) const { return keys_.text(slot); }

  // Adds this stage's figures to a report. count() leaves out what has to be found out by walking
  // state or keys: live_keys, open_windows_dropped.
  void report(RunReport& report) const;
  void count(RunReport& report) const;

 private:
  std::unique_ptr<LateFirings> make_late_firings(std::uint32_t specification,
                                                 const AggregateLayout& layout);
  bool add_one_by_one(const Batch& rows, std::span<const EventTime> watermarks,
                      std::vector<std::uint16_t>& late_rows,
                      std::vector<EventTime>& late_watermarks);
  bool add_in_chunks(const Batch& rows, std::span<const EventTime> watermarks,
                     std::vector<std::uint16_t>& late_rows,
                     std::vector<EventTime>& late_watermarks);
  void add_chunk(const RowChunk& rows, std::vector<std::uint16_t>& late_rows);
  void raise_to(EventTime watermark);
  template <typename Phases>
  bool add_rows(const Batch& rows, std::vector<std::uint16_t>& late_rows, Phases& phases);
  template <typename Phases>
  void advance_to(EventTime watermark, Phases& phases);
  bool fire(WindowState& windows, NoPhases& /*phases*/) { return windows.fire(emitter_); }
  bool fire(WindowState& windows, PhaseClock& phases) {
    return windows.fire_in_phases(emitter_, phases);
  }
  template <typename Phases>
  bool fire_due(Phases& phases);
  bool fire_due();
  // Raises the states' watermark towards the stage's, by no more than is good to fire at once.
  void go_on();
  template <typename Phases>
  bool fire_all(Phases& phases);
  // No window is half emitted, and no slot of a row looked up whose state does not name it yet.
  bool is_at_rest() const { return !half_fired_ && next_row_ == 0; }
  KeyCollectionSchedule::Figures figures() const;
  // Drops the keys that no state names; at rest, or between chunks of rows.
  void collect_keys();
  std::size_t count_live_keys() const;

  const WindowQuery& query_;
  StateMemory key_memory_;
  StateMemory window_memory_;
  StateBlocks grown_{window_memory_};  // what handles in entries stand for
  KeyTable keys_;
  ResultEmitter emitter_;
  std::unique_ptr<AggregateLayout> plain_layout_;
  std::unique_ptr<AggregateLayout> undoable_layout_;
  std::vector<std::unique_ptr<WindowState>> windows_;
  bool takes_rows_singly_ = false;  // some of them do
  KeyCollectionSchedule collection_;
  std::size_t firing_ = 0;
  // The last fire() found no room for all of its results.
  bool half_fired_ = false;
  EventTime watermark_ = kNoWatermark;
  // What the states were last told. Everything due at it has fired, unless half_fired_.
  EventTime firing_watermark_ = kNoWatermark;
  std::uint64_t chunks_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t on_time_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t in_no_window_ = 0;
  std::vector<std::uint32_t> slots_;
  std::size_t next_row_ = 0;  // of the batch that add() or add_in_time() has begun
};

}  // namespace tidemark
