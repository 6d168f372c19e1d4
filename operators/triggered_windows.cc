#include "tidemark/operators/triggered_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark {

namespace {

constexpr std::size_t kScratchRows = 256;

TriggerPtr early_trigger(const EarlyFiring& early, bool repeat_unchanged) {
  switch (early.kind) {
    case EarlyFiring::Kind::kEventTime:
      return every_event_time(
          std::chrono::milliseconds(early.amount),
          repeat_unchanged ? PassedMultiples::kFireEach : PassedMultiples::kFireOnce);
    case EarlyFiring::Kind::kProcessingTime:
      return every_processing_time(std::chrono::milliseconds(early.amount));
    case EarlyFiring::Kind::kRows:
      return after_count(early.amount);
    case EarlyFiring::Kind::kNone:
      break;
  }
  return nullptr;
}

bool has_edges(WindowKind kind) {
  return kind != WindowKind::kSession && kind != WindowKind::kGlobal && kind != WindowKind::kCount;
}

}  // namespace

// A window as its trigger sees it.
class TriggeredWindows::Context final : public TriggerContext {
 public:
  Context(TriggeredWindows& state, KeyWindow& window) : state_(state), window_(window) {}

  EventTime window_start() const override { return window_.start; }
  EventTime window_end() const override { return window_.end; }
  EventTime watermark() const override { return state_.watermark_; }
  EventTime processing_time() const override { return state_.clock_(); }

  void at_event_time(EventTime time) override {
    if (time != window_.last_ms()) ask(window_.firing->event_timers, time);
  }
  void at_processing_time(EventTime time) override {
    ask(window_.firing->processing_timers, time);
    state_.processing_timers_.ask(window_, time);
  }

 private:
  static void ask(std::vector<EventTime>& timers, EventTime time) {
    const auto place = std::lower_bound(timers.begin(), timers.end(), time);
    if (place == timers.end() || *place != time) timers.insert(place, time);
  }

  TriggeredWindows& state_;
  KeyWindow& window_;
};

TriggeredWindows::TriggeredWindows(const WindowQuery& query, const WindowSpec& spec,
                                   std::uint32_t specification, const AggregateLayout& layout,
                                   std::pmr::memory_resource& memory,
                                   std::shared_ptr<const ZoneClock> zone,
                                   std::function<EventTime()> clock)
    : query_(query),
      spec_(spec),
      layout_(layout),
      memory_(memory),
      clock_(std::move(clock)),
      lateness_(query.lateness),
      trigger_(query.trigger != nullptr
                   ? query.trigger
                   : after_watermark(early_trigger(query.early, query.repeat_unchanged))),
      evictor_(query.evictor),
      keeps_rows_(evictor_ != nullptr ||
                  (spec.kind == WindowKind::kCount && spec.slide != spec.size)),
      fires_once_(query.trigger == nullptr && query.early.kind == EarlyFiring::Kind::kNone &&
                  query.lateness == 0),
      windows_(has_edges(spec.kind) ? KeyWindows::Lookup::kByNumber : KeyWindows::Lookup::kByKey,
               layout, memory),
      event_timers_(0, memory),
      processing_timers_(1, memory),
      reports_(query, specification, layout, memory) {
  if (has_edges(spec.kind)) slicing_.emplace(spec, std::move(zone));
  if (trigger_->stateless()) shared_trigger_ = trigger_->fresh();
  if (keeps_rows_) scratch_.emplace(query.values, kScratchRows);
}

// Count windows do not look at the watermark, nor do global ones before the end of the input.
bool TriggeredWindows::takes_rows_singly() const {
  if (query_.state_ttl) return true;
  if (spec_.kind == WindowKind::kCount) return false;
  return spec_.kind != WindowKind::kGlobal || query_.trigger != nullptr ||
         query_.early.kind != EarlyFiring::Kind::kNone;
}

void TriggeredWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::uint8_t& outcome = outcomes[row];
    switch (spec_.kind) {
      case WindowKind::kSession:
        add_to_session(rows, row, outcome);
        break;
      case WindowKind::kGlobal:
        add_to_global(rows, row);
        outcome |= kHadWindow | kAccepted;
        break;
      case WindowKind::kCount:
        add_to_count(rows, row);
        outcome |= kHadWindow | kAccepted;
        break;
      default:
        add_aligned(rows, row, outcome);
    }
  }
  note_live_entries();
}

void TriggeredWindows::expect(std::span<const std::uint32_t> slots) {
  for (const std::uint32_t slot : slots) {
    if (const KeyWindow* window = windows_.first_of_key(slot)) {
      __builtin_prefetch(window, 1);
      __builtin_prefetch(window + 1, 1);  // it is on two cache lines
    }
  }
  for (const std::uint32_t slot : slots) {
    if (const KeyWindow* window = windows_.first_of_key(slot))
      __builtin_prefetch(window->content, 1);
  }
}

void TriggeredWindows::add_aligned(const RowChunk& rows, std::size_t row, std::uint8_t& outcome) {
  const std::int64_t slice = slicing_->slice_of(rows.times()[row]);
  if (slicing_->is_gap(slice)) return;
  outcome |= kHadWindow;
  const std::int64_t first = slicing_->first_window(slice);
  // From the last to end on; those before one that is closed are closed too.
  for (std::int64_t number = slicing_->last_window(slice); number >= first; --number) {
    const EventTime end = slicing_->window_end(number);
    if (is_closed(end - 1)) break;
    outcome |= kAccepted;
    if (slicing_->repeats_previous(number)) continue;
    KeyWindow* window = windows_.find(rows.slots[row], number);
    if (window == nullptr) {
      window = &open(rows.slots[row], number, slicing_->window_start(number), end);
    }
    accept(*window, rows, row);
  }
}

std::int64_t TriggeredWindows::gap_of(const RowChunk& rows, std::size_t row) const {
  if (spec_.gap_input == WindowSpec::kFixedGap) return spec_.size;
  const Column& gaps =
      rows.batch.column(rows.first_value + static_cast<std::size_t>(spec_.gap_input));
  return gaps.int64s()[rows.begin + row];
}

// Sessions that touch at exactly the gap are one.
void TriggeredWindows::add_to_session(const RowChunk& rows, std::size_t row,
                                      std::uint8_t& outcome) {
  outcome |= kHadWindow;
  EventTime start = rows.times()[row];
  EventTime end = start + gap_of(rows, row);
  KeyWindow* session = nullptr;
  bool merged = false;
  for (KeyWindow* next = windows_.first_of_key(rows.slots[row]); next != nullptr;) {
    KeyWindow& other = *next;
    next = other.next_of_key;
    if (other.start > end || other.end < start) continue;
    start = std::min(start, other.start);
    end = std::max(end, other.end);
    if (session == nullptr) {
      session = &other;
    } else {
      merge(*session, other);
      merged = true;
    }
  }
  if (session == nullptr) {
    if (is_closed(end - 1)) return;
    session = &open(rows.slots[row], 0, start, end);
  } else {
    reach(*session, start, end);
  }
  outcome |= kAccepted;
  if (merged && session->firing != nullptr && session->firing->trigger != nullptr) {
    session->firing->event_timers.clear();
    session->firing->processing_timers.clear();
    Context context(*this, *session);
    session->firing->trigger->on_merged(context);
  }
  accept(*session, rows, row);
}

void TriggeredWindows::reach(KeyWindow& session, EventTime start, EventTime end) {
  if (session.start == start && session.end == end) return;
  reports_.withdraw(session);
  session.start = start;
  session.end = end;
  session.end_passed = end - 1 <= watermark_;
}

void TriggeredWindows::merge(KeyWindow& session, KeyWindow& other) {
  std::byte* const into = session.content;
  layout_.merge(&into, other.content, 1);
  session.rows += other.rows;
  session.last_row = std::max(session.last_row, other.last_row);
  session.firings = std::max(session.firings, other.firings);
  if (other.firing != nullptr) {
    reports_.withdraw(other);
    FiringState& firing = *session.firing;
    FiringState& theirs = *other.firing;
    std::move(theirs.taken_back.begin(), theirs.taken_back.end(),
              std::back_inserter(firing.taken_back));
    if (theirs.rows != nullptr) firing.rows->append(*theirs.rows);
    if (theirs.trigger != nullptr) firing.trigger->merge(*theirs.trigger);
  }
  ++counters_.merges;
  remove(other);
}

void TriggeredWindows::add_to_global(const RowChunk& rows, std::size_t row) {
  KeyWindow* window = windows_.first_of_key(rows.slots[row]);
  if (window == nullptr) window = &open(rows.slots[row], 0, kNoWatermark, kEndOfTime);
  accept(*window, rows, row);
}

void TriggeredWindows::add_to_count(const RowChunk& rows, std::size_t row) {
  const EventTime time = rows.times()[row];
  KeyWindow* window = windows_.first_of_key(rows.slots[row]);
  if (window == nullptr) window = &open(rows.slots[row], 0, time, kEndOfTime);
  window->start = std::min(window->start, time);
  put(*window, rows, row);
  if (static_cast<std::int64_t>(window->rows) < spec_.slide) {
    schedule(*window);
    return;
  }
  fire_count(*window);
  ++counters_.windows_fired;
  if (keeps_rows_) {
    window->rows = 0;
    schedule(*window);
  } else {
    remove(*window);
  }
}

// The last `size` rows, or as many as there are.
void TriggeredWindows::fire_count(KeyWindow& window) {
  EventTime start = window.start;
  EventTime last = window.last_row;
  if (keeps_rows_) {
    WindowRows& rows = *window.firing->rows;
    const auto size = static_cast<std::size_t>(spec_.size);
    if (rows.size() > size) rows.drop_oldest(rows.size() - size);
    start = last = rows.time(0);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      start = std::min(start, rows.time(i));
      last = std::max(last, rows.time(i));
    }
    recompute(window);
  }
  reports_.say_once(start, last + 1, window.content);
}

KeyWindow& TriggeredWindows::open(std::uint32_t slot, std::int64_t number, EventTime start,
                                  EventTime end) {
  KeyWindow& window = windows_.add(slot, number);
  window.start = start;
  window.end = end;
  window.end_passed = window.last_ms() <= watermark_;
  if (!fires_once_ || keeps_rows_) window.firing = std::make_unique<FiringState>();
  if (shared_trigger_ == nullptr && spec_.kind != WindowKind::kCount) {
    window.firing->trigger = trigger_->fresh();
  }
  if (keeps_rows_) window.firing->rows = std::make_unique<WindowRows>(query_.values, memory_);
  return window;
}

void TriggeredWindows::put(KeyWindow& window, const RowChunk& rows, std::size_t row) {
  const std::size_t at = rows.begin + row;
  if (keeps_rows_) {
    window.firing->rows->append(rows.batch, rows.first_value, at);
  } else {
    std::byte* const entry = window.content;
    entry_header(entry).valid |= rows.never_null;
    layout_.update(&entry, rows.batch, rows.first_value, at, 1);
  }
  ++window.rows;
  ++counters_.updates;
  window.last_row = std::max(window.last_row, rows.times()[row]);
}

void TriggeredWindows::accept(KeyWindow& window, const RowChunk& rows, std::size_t row) {
  put(window, rows, row);
  Context context(*this, window);
  const TriggerResult result = trigger_of(window).on_row(
      TriggerRow(rows.batch, rows.first_value, rows.begin + row), context);
  act(window, result, context.complete() ? PaneTiming::kLate : PaneTiming::kEarly);
  schedule(window);
}

void TriggeredWindows::act(KeyWindow& window, TriggerResult result, PaneTiming timing) {
  if (fires(result)) report(window, timing);
  if (purges(result)) purge(window);
}

void TriggeredWindows::report(KeyWindow& window, PaneTiming timing) {
  if (window.rows == 0) return;
  if (keeps_rows_ && !evict(window)) return;
  reports_.report(window, timing);
  if (query_.accumulation == Accumulation::kDiscarding) {
    purge(window);
  } else if (keeps_rows_) {
    finish_eviction(window);
  }
}

bool TriggeredWindows::evict(KeyWindow& window) {
  WindowRows& rows = *window.firing->rows;
  if (rows.empty()) return false;
  evictor_->evict_before(rows);
  rows.drop_evicted();
  recompute(window);
  return !rows.empty();
}

void TriggeredWindows::recompute(KeyWindow& window) {
  windows_.clear_content(window);
  window.firing->rows->aggregate(layout_, window.content, *scratch_);
}

void TriggeredWindows::finish_eviction(KeyWindow& window) {
  WindowRows& rows = *window.firing->rows;
  evictor_->evict_after(rows);
  rows.drop_evicted();
}

void TriggeredWindows::purge(KeyWindow& window) {
  windows_.clear_content(window);
  window.rows = 0;
  if (window.firing == nullptr) return;
  if (window.firing->rows != nullptr) window.firing->rows->clear();
  window.firing->reported.clear();
}

void TriggeredWindows::remove(KeyWindow& window) {
  event_timers_.remove(window);
  processing_timers_.remove(window);
  windows_.remove(window);
}

EventTime TriggeredWindows::cleanup_time(const KeyWindow& window) const {
  return saturating_add(window.last_ms(), lateness_);
}

// At the end of the input every window has its say.
EventTime TriggeredWindows::ttl_deadline(const KeyWindow& window) const {
  if (!query_.state_ttl || watermark_ == kEndOfTime) return kEndOfTime;
  return saturating_add(window.last_row, *query_.state_ttl);
}

EventTime TriggeredWindows::next_event_time(const KeyWindow& window) const {
  EventTime time = window.end_passed ? cleanup_time(window) : window.last_ms();
  time = std::min(time, ttl_deadline(window));
  if (window.firing != nullptr && !window.firing->event_timers.empty()) {
    time = std::min(time, window.firing->event_timers.front());
  }
  return time;
}

// Where nothing fires twice, what is due next only ever moves away.
void TriggeredWindows::schedule(KeyWindow& window) {
  if (window.firing == nullptr && event_timers_.has(window)) return;
  event_timers_.ask(window, next_event_time(window));
}

bool TriggeredWindows::fire(ResultEmitter& emitter) {
  if (!reports_.drain(emitter)) return false;
  while (!event_timers_.empty() && event_timers_.first_time() <= watermark_) {
    KeyWindow& window = event_timers_.first();
    const EventTime time = event_timers_.first_time();
    on_event_timer(window, time);
    if (!reports_.drain(emitter)) return false;
  }
  if (!processing_timers_.empty()) on_processing_timers(clock_());
  return reports_.drain(emitter);
}

Trigger& TriggeredWindows::trigger_of(KeyWindow& window) {
  return shared_trigger_ != nullptr ? *shared_trigger_ : *window.firing->trigger;
}

void TriggeredWindows::on_event_timer(KeyWindow& window, EventTime time) {
  if (spec_.kind != WindowKind::kCount) let_trigger_see(window, time);
  if (cleanup_time(window) <= time) {
    remove(window);
  } else if (ttl_deadline(window) <= time) {
    ++counters_.expired_windows;
    remove(window);
  } else {
    ++counters_.timers_put_off;
    event_timers_.put_off(window, next_event_time(window));
  }
}

void TriggeredWindows::let_trigger_see(KeyWindow& window, EventTime time) {
  Trigger& trigger = trigger_of(window);
  Context context(*this, window);
  const EventTime last = window.last_ms();
  while (window.firing != nullptr && !window.firing->event_timers.empty() &&
         window.firing->event_timers.front() <= time) {
    std::vector<EventTime>& timers = window.firing->event_timers;
    const EventTime due = timers.front();
    timers.erase(timers.begin());
    act(window, trigger.on_event_time(due, context),
        due < last ? PaneTiming::kEarly : PaneTiming::kLate);
  }
  if (!window.end_passed && time >= last) {
    window.end_passed = true;
    ++counters_.windows_fired;
    act(window, trigger.on_event_time(last, context), PaneTiming::kOnTime);
  }
}

void TriggeredWindows::on_processing_timers(EventTime now) {
  while (!processing_timers_.empty() && processing_timers_.first_time() <= now) {
    KeyWindow& window = processing_timers_.first();
    processing_timers_.remove(window);
    std::vector<EventTime>& timers = window.firing->processing_timers;
    Context context(*this, window);
    while (!timers.empty() && timers.front() <= now) {
      const EventTime due = timers.front();
      timers.erase(timers.begin());
      act(window, trigger_of(window).on_processing_time(due, context),
          context.complete() ? PaneTiming::kLate : PaneTiming::kEarly);
    }
    if (!timers.empty()) processing_timers_.ask(window, timers.front());
    schedule(window);
  }
}

std::optional<EventTime> TriggeredWindows::next_processing_time() const {
  if (processing_timers_.empty()) return std::nullopt;
  return processing_timers_.first_time();
}

std::size_t TriggeredWindows::open_windows() const {
  return static_cast<std::size_t>(std::count_if(
      windows_.all().begin(), windows_.all().end(),
      [](const KeyWindow* window) { return window->rows > 0 && !window->end_passed; }));
}

// Results on their way out are none between firings.
void TriggeredWindows::mark_live(LiveSlots& live) {
  for (const KeyWindow* window : windows_.all()) live.mark(window->slot);
}

void TriggeredWindows::renumber(const SlotMap& map) {
  windows_.renumber(map);
  event_timers_.trim();
  processing_timers_.trim();
}

}  // namespace tidemark
