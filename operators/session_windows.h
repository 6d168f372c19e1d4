// Sessions that fire once, at their end: the open ones of a key lie side by side with the key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/session_records.h"
#include "tidemark/operators/timing_wheel.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// A key nearly always has one open session, or none: it is in an array by key slot, its bounds next
// to the state of its rows, so that a row touches one place. Older sessions of the key, which are
// open only because rows come out of order, are in a list behind it.
//
// Rows come a chunk at a time, each with the watermark before it. Whether a session is still open
// is found out when a row comes upon it, so nothing has to fire between rows: a session that a
// row's watermark has passed is put aside until the next firing. That is exact, row by row.
//
// A row costs one update, a session one lazy timer. Not thread-safe.
class SessionWindows final : public WindowState {
 public:
  // Whether a query's sessions can be kept so: they do not if they may fire twice, keep their rows,
  // or end for another reason than their end.
  static bool can_hold(const WindowQuery& query, const WindowSpec& window);

  SessionWindows(const WindowQuery& query, const WindowSpec& spec, std::uint32_t specification,
                 const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void add(const RowChunk& rows, std::uint8_t* outcomes) override;
  void advance(EventTime watermark) override { watermark_ = watermark; }
  bool fire(ResultEmitter& emitter) override;
  std::size_t live_entries() const override { return sessions_; }
  std::size_t open_windows() const override { return sessions_; }
  void mark_live(LiveSlots& live) override;
  void renumber(const SlotMap& map) override;

 private:
  // A session by number: a slot, or with this bit one of `others_`.
  static constexpr std::uint32_t kOther = std::uint32_t{1} << 31;
  // Sessions are fetched so many rows before they are needed.
  static constexpr std::size_t kAhead = 16;

  // A row and the session that it makes by itself.
  struct Row {
    std::size_t number;  // in the chunk
    std::uint32_t slot;
    EventTime start;
    EventTime end;
    EventTime watermark;

    bool joins(const SessionRecord& session) const {
      return session.start <= end && session.end >= start && session.last_ms() > watermark;
    }
  };
  struct Due {
    EventTime end;
    std::uint32_t order;
    std::uint32_t number;
  };

  SessionRecord& session(std::uint32_t number) {
    return (number & kOther) != 0 ? others_[number & ~kOther] : newest_[number];
  }
  void prefetch(std::uint32_t number) const;

  template <typename Watermark, typename Gap>
  void add_rows(const RowChunk& rows, std::uint8_t* outcomes, const Watermark& watermark_of,
                const Gap& gap_of);
  // The session that takes the row, or nullptr if it is late.
  SessionRecord* find_or_open(const RowChunk& rows, const Row& row);
  SessionRecord* join(const RowChunk& rows, const Row& row);
  SessionRecord& open(const RowChunk& rows, const Row& row);
  void begin(SessionRecord& session, const Row& row) const;
  // A new member of the list behind `newest`, with a timer for its end still to come.
  std::uint32_t add_other(SessionRecord& newest);
  void set_aside(const RowChunk& rows, SessionRecord& newest, std::size_t row);

  // Rows of the chunk up to `row` that still have to be added to their sessions: all, or if one of
  // them is for `entry`.
  void update_until(const RowChunk& rows, std::size_t row);
  void settle(const RowChunk& rows, const std::byte* entry, std::size_t row);

  void collect_due();
  std::size_t emit(ResultEmitter& emitter, std::size_t room);
  void drop(std::uint32_t number);
  void compact_others(std::vector<std::uint32_t>& new_number);

  const WindowSpec spec_;
  std::uint32_t specification_;
  const AggregateLayout& layout_;
  EventTime watermark_ = kNoWatermark;
  SessionRecords newest_;  // by slot
  SessionRecords others_;
  std::pmr::vector<std::uint32_t> free_others_;
  std::size_t sessions_ = 0;
  // Numbers of all sessions, and of others_ that were merged into a session and wait for theirs.
  TimingWheel timers_;
  std::pmr::vector<Due> due_;  // on its way out
  std::size_t emitted_ = 0;    // of due_
  // The entries of the chunk's rows; updates before `updated_` are done.
  std::array<std::byte*, RowChunk::kRows> entries_;
  std::size_t updated_ = 0;
};

}  // namespace tidemark
