#include "tidemark/operators/session_windows.h"

#include <algorithm>
#include <span>

namespace tidemark {

namespace {

constexpr std::size_t kEmitted = 256;
// Whether states are plain bytes, which records may drop without a word.
bool has_plain_states(const WindowQuery& query) {
  return std::all_of(
      query.aggregates.begin(), query.aggregates.end(), [](const AggregateSpec& aggregate) {
        return algebra_of(aggregate, ColumnType::kInt64).cost == CostClass::kConstant;
      });
}

// What a gap that only rows know may be, ms: a first guess for timers.
constexpr std::int64_t kUnknownGap = 1000;

}  // namespace

bool SessionWindows::can_hold(const WindowQuery& query, const WindowSpec& window) {
  return window.kind == WindowKind::kSession && query.strategy == Strategy::kAuto &&
         query.trigger == nullptr && query.evictor == nullptr && query.lateness == 0 &&
         query.early.kind == EarlyFiring::Kind::kNone && !query.state_ttl &&
         has_plain_states(query);
}

SessionWindows::SessionWindows(const WindowQuery& query, const WindowSpec& spec,
                               std::uint32_t specification, const AggregateLayout& layout,
                               std::pmr::memory_resource& memory)
    : spec_(spec),
      specification_(specification),
      layout_(layout),
      newest_(layout, memory),
      others_(layout, memory),
      free_others_(&memory),
      timers_((spec.gap_input == WindowSpec::kFixedGap ? spec.size : kUnknownGap) + query.delay,
              memory),
      due_(&memory) {}

void SessionWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  if (newest_.size() < rows.slot_count) newest_.resize(rows.slot_count);
  const auto add_with = [&](const auto& watermark_of) {
    if (spec_.gap_input == WindowSpec::kFixedGap) {
      add_rows(rows, outcomes, watermark_of, [gap = spec_.size](std::size_t) { return gap; });
      return;
    }
    const std::size_t column = rows.first_value + static_cast<std::size_t>(spec_.gap_input);
    const std::int64_t* const gaps = rows.batch.column(column).int64s() + rows.begin;
    add_rows(rows, outcomes, watermark_of, [gaps](std::size_t row) { return gaps[row]; });
  };
  if (rows.watermarks == nullptr) {
    add_with([watermark = watermark_](std::size_t) { return watermark; });
  } else {
    add_with([watermarks = rows.watermarks](std::size_t row) { return watermarks[row]; });
  }
  note_live_entries();
}

template <typename Watermark, typename Gap>
void SessionWindows::add_rows(const RowChunk& rows, std::uint8_t* outcomes,
                              const Watermark& watermark_of, const Gap& gap_of) {
  const EventTime* const times = rows.times();
  const std::size_t n = rows.size();
  std::size_t accepted = 0;
  updated_ = 0;
  for (std::size_t i = 0; i < std::min(n, kAhead); ++i) newest_.prefetch(rows.slots[i]);
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) newest_.prefetch(rows.slots[i + kAhead]);
    const EventTime time = times[i];
    const EventTime end = time + gap_of(i);
    const EventTime watermark = watermark_of(i);
    SessionRecord* session = &newest_[rows.slots[i]];
    // A row that starts inside the newest session is in no other.
    if (session->start <= time && time <= session->end && session->last_ms() > watermark) {
      session->end = std::max(session->end, end);
    } else {
      session = find_or_open(rows, {i, rows.slots[i], time, end, watermark});
    }
    if (session == nullptr) {
      update_until(rows, i);
      updated_ = i + 1;
      outcomes[i] |= kHadWindow;
      continue;
    }
    entries_[i] = session->entry();
    entry_header(entries_[i]).valid |= rows.never_null;
    outcomes[i] |= kHadWindow | kAccepted;
    ++accepted;
  }
  update_until(rows, n);
  counters_.updates += accepted;
}

SessionRecord* SessionWindows::find_or_open(const RowChunk& rows, const Row& row) {
  if (SessionRecord* const session = join(rows, row)) return session;
  return row.end - 1 <= row.watermark ? nullptr : &open(rows, row);
}

// The row and all sessions that it joins become one; those that touch at exactly the gap are one.
SessionRecord* SessionWindows::join(const RowChunk& rows, const Row& row) {
  SessionRecord& newest = newest_[row.slot];
  SessionRecord* session = row.joins(newest) ? &newest : nullptr;
  EventTime start = row.start;
  EventTime end = row.end;
  for (std::uint32_t* next = &newest.other; *next != SessionRecord::kNoOther;) {
    SessionRecord& other = others_[*next];
    if (!row.joins(other)) {
      next = &other.other;
      continue;
    }
    if (session == nullptr) {
      session = &other;
      next = &other.other;
      continue;
    }
    settle(rows, other.entry(), row.number);
    start = std::min(start, other.start);
    end = std::max(end, other.end);
    std::byte* const into = session->entry();
    layout_.merge(&into, other.entry(), 1);
    // Its timer lets go of the record.
    other.end = SessionRecord::kNoEnd;
    *next = other.other;
    --sessions_;
    ++counters_.merges;
  }
  if (session == nullptr) return nullptr;
  session->start = std::min(session->start, start);
  session->end = std::max(session->end, end);
  return session;
}

// The newest session of a key starts after all others that are open, so it ends after them too.
SessionRecord& SessionWindows::open(const RowChunk& rows, const Row& row) {
  SessionRecord& newest = newest_[row.slot];
  ++sessions_;
  if (newest.empty()) {
    begin(newest, row);
    timers_.add(row.slot, newest.last_ms());
    return newest;
  }
  if (newest.last_ms() <= row.watermark || row.start > newest.start) {
    // The slot's timer is early enough for the new session.
    set_aside(rows, newest, row.number);
    begin(newest, row);
    return newest;
  }
  const std::uint32_t number = add_other(newest);
  begin(others_[number], row);
  timers_.add(number | kOther, others_[number].last_ms());
  return others_[number];
}

void SessionWindows::begin(SessionRecord& session, const Row& row) const {
  session.start = row.start;
  session.end = row.end;
  copy_entry(session.entry(), layout_.initial_entry().data(), layout_.entry_size());
  entry_header(session.entry()).slot = row.slot;
}

std::uint32_t SessionWindows::add_other(SessionRecord& newest) {
  auto number = static_cast<std::uint32_t>(others_.size());
  if (free_others_.empty()) {
    others_.resize(others_.size() + 1);
  } else {
    number = free_others_.back();
    free_others_.pop_back();
  }
  others_[number].other = newest.other;
  newest.other = number;
  return number;
}

void SessionWindows::set_aside(const RowChunk& rows, SessionRecord& newest, std::size_t row) {
  settle(rows, newest.entry(), row);
  const std::uint32_t number = add_other(newest);
  newest_.copy_session(newest, others_[number]);
  timers_.add(number | kOther, newest.last_ms());
}

void SessionWindows::update_until(const RowChunk& rows, std::size_t row) {
  if (row > updated_) {
    layout_.update(entries_.data() + updated_, rows.batch, rows.first_value, rows.begin + updated_,
                   row - updated_);
  }
  updated_ = row;
}

void SessionWindows::settle(const RowChunk& rows, const std::byte* entry, std::size_t row) {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(row);
  if (std::find(entries_.begin() + static_cast<std::ptrdiff_t>(updated_), end, entry) != end) {
    update_until(rows, row);
  }
}

bool SessionWindows::fire(ResultEmitter& emitter) {
  while (true) {
    while (emitted_ < due_.size()) {
      emitter.begin_window(specification_, 0, due_[emitted_].end);
      const std::size_t room = emitter.room();
      if (room == 0) return false;
      emitted_ += emit(emitter, room);
    }
    due_.clear();
    emitted_ = 0;
    if (timers_.now() >= watermark_) return true;
    collect_due();
  }
}

void SessionWindows::collect_due() {
  timers_.take_due(
      timers_.next_stop(watermark_),
      [this](std::uint32_t number) { return session(number).last_ms(); },
      [this](std::uint32_t number) {
        const SessionRecord& ended = session(number);
        if (ended.empty()) {
          free_others_.push_back(number & ~kOther);
        } else {
          due_.push_back({ended.end, static_cast<std::uint32_t>(due_.size()), number});
        }
      },
      [this](std::uint32_t number) { __builtin_prefetch(&session(number)); });
  counters_.timers_put_off = timers_.put_off();
  std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
    return a.end != b.end ? a.end < b.end : a.order < b.order;
  });
}

std::size_t SessionWindows::emit(ResultEmitter& emitter, std::size_t room) {
  std::array<const std::byte*, kEmitted> entries{};
  std::array<std::uint32_t, kEmitted> slots{};
  std::array<EventTime, kEmitted> starts{};
  std::array<EventTime, kEmitted> ends{};
  const std::size_t n = std::min({due_.size() - emitted_, room, kEmitted});
  const Due* const due = due_.data() + emitted_;
  for (std::size_t i = 0; i < n; ++i) {
    const SessionRecord& ended = session(due[i].number);
    entries[i] = ended.entry();
    slots[i] = entry_header(ended.entry()).slot;
    starts[i] = ended.start;
    ends[i] = ended.end;
  }
  emitter.emit_windows(layout_, {slots.data(), n}, starts.data(), ends.data(), entries.data());
  for (std::size_t i = 0; i < n; ++i) drop(due[i].number);
  counters_.windows_fired += n;
  return n;
}

void SessionWindows::drop(std::uint32_t number) {
  SessionRecord& ended = session(number);
  ended.end = SessionRecord::kNoEnd;
  --sessions_;
  if ((number & kOther) == 0) return;
  std::uint32_t* next = &newest_[entry_header(ended.entry()).slot].other;
  while (*next != (number & ~kOther)) next = &others_[*next].other;
  *next = ended.other;
  free_others_.push_back(number & ~kOther);
}

// A key with other sessions has a newest one, which ends last.
void SessionWindows::mark_live(LiveSlots& live) {
  for (std::size_t slot = 0; slot < newest_.size(); ++slot) {
    if (!newest_[slot].empty()) live.mark(static_cast<std::uint32_t>(slot));
  }
}

void SessionWindows::renumber(const SlotMap& map) {
  std::vector<std::uint32_t> new_other;
  compact_others(new_other);
  timers_.rename([&](std::uint32_t number) {
    return (number & kOther) != 0 ? new_other[number & ~kOther] | kOther : map[number];
  });
  map.for_each_below(newest_.size(), [&](std::uint32_t from, std::uint32_t to) {
    newest_.move(from, to);
    SessionRecord& newest = newest_[to];
    entry_header(newest.entry()).slot = to;
    for (std::uint32_t* next = &newest.other; *next != SessionRecord::kNoOther;) {
      *next = new_other[*next];
      entry_header(others_[*next].entry()).slot = to;
      next = &others_[*next].other;
    }
  });
  newest_.resize(std::min(newest_.size(), map.new_size()));
  due_.shrink_to_fit();
}

void SessionWindows::compact_others(std::vector<std::uint32_t>& new_number) {
  new_number.assign(others_.size(), 0);
  for (const std::uint32_t number : free_others_) new_number[number] = SessionRecord::kNoOther;
  std::uint32_t used = 0;
  for (std::size_t number = 0; number < others_.size(); ++number) {
    if (new_number[number] == SessionRecord::kNoOther) continue;
    others_.move(number, used);
    new_number[number] = used++;
  }
  others_.resize(used);
  free_others_.clear();
  free_others_.shrink_to_fit();
}

}  // namespace tidemark
