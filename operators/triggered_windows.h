// Windows whose keys fire and end one by one: sessions, global and count windows, and windows of
// every kind with early firings, triggers or evictors.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "tidemark/operators/evictor.h"
#include "tidemark/operators/key_windows.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/timer_queue.h"
#include "tidemark/operators/window_reports.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// The general path: one state per key and window, and a trigger for it. Costs as many updates a row
// as it has windows. Sessions merge in place.
class TriggeredWindows final : public WindowState {
 public:
  TriggeredWindows(const WindowQuery& query, const WindowSpec& spec, std::uint32_t specification,
                   const AggregateLayout& layout, std::pmr::memory_resource& memory,
                   std::shared_ptr<const ZoneClock> zone, std::function<EventTime()> clock);

  bool takes_rows_singly() const override;
  void expect(std::span<const std::uint32_t> slots) override;
  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
  void advance(EventTime watermark) override { watermark_ = watermark; }
  bool fire(ResultEmitter& emitter) override;
  std::size_t live_entries() const override { return windows_.size(); }
  std::size_t open_windows() const override;
  void mark_live(LiveSlots& live) override;
  void renumber(const SlotMap& map) override;

  // When the clock matters next; nothing if it does not.
  std::optional<EventTime> next_processing_time() const override;

 private:
  class Context;

  void add_aligned(const RowChunk& rows, std::size_t row, std::uint8_t& outcome);
  void add_to_session(const RowChunk& rows, std::size_t row, std::uint8_t& outcome);
  void add_to_global(const RowChunk& rows, std::size_t row);
  void add_to_count(const RowChunk& rows, std::size_t row);

  KeyWindow& open(std::uint32_t slot, std::int64_t number, EventTime start, EventTime end);
  // Gives the session new bounds; the old ones are taken back if they have been reported.
  void reach(KeyWindow& session, EventTime start, EventTime end);
  // `other` becomes a part of `session` and is gone.
  void merge(KeyWindow& session, KeyWindow& other);
  std::int64_t gap_of(const RowChunk& rows, std::size_t row) const;

  // Puts a row into a window and lets the trigger see it.
  void accept(KeyWindow& window, const RowChunk& rows, std::size_t row);
  void put(KeyWindow& window, const RowChunk& rows, std::size_t row);
  void act(KeyWindow& window, TriggerResult result, PaneTiming timing);
  void report(KeyWindow& window, PaneTiming timing);
  // Computes the content from the window's rows; false if none is left.
  bool evict(KeyWindow& window);
  // The content, from the rows that the window keeps.
  void recompute(KeyWindow& window);
  void finish_eviction(KeyWindow& window);
  void fire_count(KeyWindow& window);
  void purge(KeyWindow& window);
  void remove(KeyWindow& window);

  Trigger& trigger_of(KeyWindow& window);
  void on_event_timer(KeyWindow& window, EventTime time);
  void let_trigger_see(KeyWindow& window, EventTime time);
  void on_processing_timers(EventTime now);
  // When something is due next: a timer of the trigger, the end, or the window's leaving.
  EventTime next_event_time(const KeyWindow& window) const;
  void schedule(KeyWindow& window);
  EventTime cleanup_time(const KeyWindow& window) const;
  EventTime ttl_deadline(const KeyWindow& window) const;
  bool is_closed(EventTime last_ms) const {
    return saturating_add(last_ms, lateness_) <= watermark_;
  }

  const WindowQuery& query_;
  WindowSpec spec_;
  std::optional<Slicing> slicing_;  // of windows with edges known ahead
  const AggregateLayout& layout_;
  std::pmr::memory_resource& memory_;
  std::function<EventTime()> clock_;
  std::int64_t lateness_;
  TriggerPtr trigger_;
  std::unique_ptr<Trigger> shared_trigger_;  // if it is stateless
  EvictorPtr evictor_;
  bool keeps_rows_;
  bool fires_once_;  // no window fires a second time

  KeyWindows windows_;
  TimerQueue event_timers_;
  TimerQueue processing_timers_;
  WindowReports reports_;
  std::optional<Batch> scratch_;
  EventTime watermark_ = kNoWatermark;
};

}  // namespace tidemark
