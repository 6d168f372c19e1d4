#include "tidemark/operators/window_operator.h"

#include <algorithm>
#include <array>

#include "tidemark/operators/bucket_windows.h"
#include "tidemark/operators/session_windows.h"
#include "tidemark/operators/shared_windows.h"
#include "tidemark/operators/sliced_windows.h"
#include "tidemark/operators/triggered_windows.h"

namespace tidemark {

namespace {
// What may wait downstream for the watermark that makes it complete: a few batches.
constexpr std::size_t kResultsAtOnce = 4096;
}  // namespace

WindowOperator::WindowOperator(const WindowQuery& query, const std::vector<WindowPlan>& plans,
                               ResultOutput& output, KeyCollection collection,
                               const WallClock& processing_clock)
    : query_(query),
      keys_(query.keys, key_memory_),
      emitter_(keys_, query, output),
      plain_layout_(
          std::make_unique<AggregateLayout>(query.values, query.aggregates, false, grown_)),
      collection_(collection),
      slots_(RowChunk::kRows) {
  const std::shared_ptr<const ZoneClock> zone = zone_clock_of(query.zone);
  std::vector<SharedWindows::Specification> sharing;
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    if (plans[i].strategy == Strategy::kBaseIntervals) {
      sharing.push_back({Slicing(plans[i].window, zone), i});
    }
  }
  if (!sharing.empty()) {
    windows_.push_back(std::make_unique<SharedWindows>(
        sharing, zone, *plain_layout_, merges_in_any_grouping(query), window_memory_));
  }
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    const WindowPlan& plan = plans[i];
    if (plan.strategy == Strategy::kBaseIntervals) continue;
    const bool undoable = plan.strategy == Strategy::kSubtract;
    if (undoable && !undoable_layout_) {
      undoable_layout_ =
          std::make_unique<AggregateLayout>(query.values, query.aggregates, true, grown_);
    }
    if (plan.keeps_sessions_by_key) {
      windows_.push_back(
          std::make_unique<SessionWindows>(query, plan.window, i, *plain_layout_, window_memory_));
      continue;
    }
    if (plan.leaves_shared_path) {
      windows_.push_back(std::make_unique<TriggeredWindows>(
          query, plan.window, i, *plain_layout_, window_memory_, zone, processing_clock));
      continue;
    }
    const AggregateLayout& layout = undoable ? *undoable_layout_ : *plain_layout_;
    if (plan.strategy == Strategy::kBuckets) {
      windows_.push_back(std::make_unique<BucketWindows>(
          Slicing(plan.window, zone), i, layout, window_memory_, make_late_firings(i, layout)));
    } else {
      windows_.push_back(std::make_unique<SlicedWindows>(
          Slicing(plan.window, zone), i, layout,
          make_pane_sharing(plan.strategy, plan.window, layout, window_memory_), window_memory_,
          make_late_firings(i, layout)));
    }
  }
  // What late rows fire goes out before the next row comes.
  takes_rows_singly_ =
      query.lateness > 0 || std::any_of(windows_.begin(), windows_.end(), [](const auto& windows) {
        return windows->takes_rows_singly();
      });
}

std::unique_ptr<LateFirings> WindowOperator::make_late_firings(std::uint32_t specification,
                                                               const AggregateLayout& layout) {
  if (query_.lateness == 0) return nullptr;
  return std::make_unique<LateFirings>(query_, specification, layout, window_memory_);
}

bool WindowOperator::add(const Batch& rows, std::vector<std::uint16_t>& late_rows) {
  NoPhases phases;
  return add_rows(rows, late_rows, phases);
}

bool WindowOperator::add_in_phases(const Batch& rows, std::vector<std::uint16_t>& late_rows,
                                   PhaseClock& phases) {
  return add_rows(rows, late_rows, phases);
}

template <typename Phases>
bool WindowOperator::add_rows(const Batch& rows, std::vector<std::uint16_t>& late_rows,
                              Phases& phases) {
  const bool fires_on_rows = query_.lateness > 0;
  if (fires_on_rows && !fire_due()) return false;
  if (next_row_ == 0 && collection_.due_before_rows(keys_.inserted())) {
    collect_keys();
    phases.stamp(WorkPhase::kEvict);
  }
  const std::size_t first_value = query_.keys.size();
  const std::uint32_t never_null = plain_layout_->never_null(rows, first_value);
  while (next_row_ < rows.size()) {
    const std::size_t begin = next_row_;
    const std::size_t n = std::min(RowChunk::kRows, rows.size() - begin);
    keys_.find_or_insert(rows, begin, {slots_.data(), n});
    phases.stamp(WorkPhase::kProbe);
    add_chunk(
        {rows, first_value, begin, {slots_.data(), n}, keys_.slot_count(), never_null, ++chunks_},
        late_rows);
    phases.stamp(WorkPhase::kUpdate);
    next_row_ += n;
    // What late rows fire goes out before the next ones come.
    if (fires_on_rows && !fire_due()) return false;
  }
  next_row_ = 0;
  return true;
}

void WindowOperator::add_partials(const Batch& partials) {
  if (collection_.due_before_rows(keys_.inserted())) collect_keys();
  for (std::size_t begin = 0; begin < partials.size(); begin += RowChunk::kRows) {
    const std::size_t n = std::min(RowChunk::kRows, partials.size() - begin);
    keys_.find_or_insert(partials, begin, {slots_.data(), n});
    const RowChunk chunk{
        partials, query_.keys.size(), begin, {slots_.data(), n}, keys_.slot_count(), 0, ++chunks_};
    for (const auto& windows : windows_) windows->add_partials(chunk);
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < n; ++i) rows += entry_header(partials.states(begin + i)).slot;
    rows_ += rows;
    on_time_ += rows;
  }
}

bool WindowOperator::add_in_time(const Batch& rows, std::span<const EventTime> watermarks,
                                 std::vector<std::uint16_t>& late_rows,
                                 std::vector<EventTime>& late_watermarks) {
  return takes_rows_singly_ ? add_one_by_one(rows, watermarks, late_rows, late_watermarks)
                            : add_in_chunks(rows, watermarks, late_rows, late_watermarks);
}

// Fires before the first row and after the last: in between, a state finds out by itself what has
// ended.
bool WindowOperator::add_in_chunks(const Batch& rows, std::span<const EventTime> watermarks,
                                   std::vector<std::uint16_t>& late_rows,
                                   std::vector<EventTime>& late_watermarks) {
  if (rows.empty()) return fire_due();
  if (next_row_ == 0) {
    raise_to(watermarks.front());
    if (!fire_due()) return false;
    if (collection_.due_before_firing(figures())) collect_keys();
  }
  const std::size_t first_value = query_.keys.size();
  const std::uint32_t never_null = plain_layout_->never_null(rows, first_value);
  while (next_row_ < rows.size()) {
    if (collection_.due_before_rows(keys_.inserted())) {
      if (!fire_due()) return false;
      collect_keys();
    }
    const std::size_t begin = next_row_;
    const std::size_t n = std::min(RowChunk::kRows, rows.size() - begin);
    keys_.find_or_insert(rows, begin, {slots_.data(), n});
    for (const auto& windows : windows_) windows->expect({slots_.data(), n});
    add_chunk({rows,
               first_value,
               begin,
               {slots_.data(), n},
               keys_.slot_count(),
               never_null,
               ++chunks_,
               watermarks.data() + begin},
              late_rows);
    next_row_ += n;
  }
  for (std::size_t i = late_watermarks.size(); i < late_rows.size(); ++i) {
    late_watermarks.push_back(watermarks[late_rows[i]]);
  }
  raise_to(watermarks.back());
  if (!fire_due()) return false;
  next_row_ = 0;
  return true;
}

bool WindowOperator::add_one_by_one(const Batch& rows, std::span<const EventTime> watermarks,
                                    std::vector<std::uint16_t>& late_rows,
                                    std::vector<EventTime>& late_watermarks) {
  const std::size_t first_value = query_.keys.size();
  const std::uint32_t never_null = plain_layout_->never_null(rows, first_value);
  for (; next_row_ < rows.size(); ++next_row_) {
    const std::size_t in_chunk = next_row_ % RowChunk::kRows;
    if (in_chunk == 0) {
      // Keys may go here and not between rows: slots are looked up for all rows of a chunk.
      if (!fire_due()) return false;
      if (collection_.due_before_firing(figures()) ||
          collection_.due_before_rows(keys_.inserted())) {
        collect_keys();
      }
      const std::size_t n = std::min(RowChunk::kRows, rows.size() - next_row_);
      keys_.find_or_insert(rows, next_row_, {slots_.data(), n});
      for (const auto& windows : windows_) windows->expect({slots_.data(), n});
    }
    raise_to(watermarks[next_row_]);
    if (!fire_due()) return false;
    add_chunk({rows,
               first_value,
               next_row_,
               {slots_.data() + in_chunk, 1},
               keys_.slot_count(),
               never_null,
               ++chunks_},
              late_rows);
    late_watermarks.resize(late_rows.size(), watermark_);
  }
  if (!fire_due()) return false;
  next_row_ = 0;
  return true;
}

std::optional<EventTime> WindowOperator::next_processing_time() const {
  std::optional<EventTime> next;
  for (const auto& windows : windows_) {
    const auto time = windows->next_processing_time();
    if (time && (!next || *time < *next)) next = time;
  }
  return next;
}

void WindowOperator::add_chunk(const RowChunk& rows, std::vector<std::uint16_t>& late_rows) {
  rows_ += rows.size();
  std::array<std::uint8_t, RowChunk::kRows> outcomes;
  std::fill_n(outcomes.begin(), rows.size(), std::uint8_t{0});
  for (const auto& windows : windows_) windows->add(rows, outcomes.data());

  std::size_t accepted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    accepted += static_cast<std::size_t>((outcomes[i] & kAccepted) != 0);
  }
  on_time_ += accepted;
  if (accepted == rows.size()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (outcomes[i] == kInNoWindow) ++in_no_window_;
    if (outcomes[i] != kHadWindow) continue;
    ++late_;
    late_rows.push_back(static_cast<std::uint16_t>(rows.begin + i));
  }
}

void WindowOperator::advance(EventTime watermark) {
  NoPhases phases;
  advance_to(watermark, phases);
}

void WindowOperator::advance_in_phases(EventTime watermark, PhaseClock& phases) {
  advance_to(watermark, phases);
}

template <typename Phases>
void WindowOperator::advance_to(EventTime watermark, Phases& phases) {
  if (watermark <= watermark_) return;
  if (is_at_rest() && collection_.due_before_firing(figures())) {
    collect_keys();
    phases.stamp(WorkPhase::kEvict);
  }
  raise_to(watermark);
  phases.stamp(WorkPhase::kOther);
}

void WindowOperator::raise_to(EventTime watermark) {
  if (watermark <= watermark_) return;
  watermark_ = watermark;
}

bool WindowOperator::fire() {
  NoPhases phases;
  return fire_all(phases);
}

bool WindowOperator::fire_in_phases(PhaseClock& phases) { return fire_all(phases); }

template <typename Phases>
bool WindowOperator::fire_all(Phases& phases) {
  if (!fire_due(phases)) return false;
  if (watermark_ == kEndOfTime && is_at_rest() && keys_.slot_count() > 0 &&
      collection_.due_at_end()) {
    collect_keys();
    phases.stamp(WorkPhase::kEvict);
  }
  return true;
}

bool WindowOperator::fire_due() {
  NoPhases phases;
  return fire_due(phases);
}

template <typename Phases>
bool WindowOperator::fire_due(Phases& phases) {
  do {
    if (!half_fired_ && firing_watermark_ < watermark_) go_on();
    for (; firing_ < windows_.size(); ++firing_) {
      half_fired_ = !fire(*windows_[firing_], phases);
      if (half_fired_) return false;
    }
    firing_ = 0;
    emitter_.complete_through(firing_watermark_);
  } while (firing_watermark_ < watermark_);
  return true;
}

// A watermark may complete any number of windows of all specifications. Fired one specification
// after the other, all their results would wait for those of the last one to be put in order.
void WindowOperator::go_on() {
  EventTime limit = watermark_;
  for (const auto& windows : windows_) {
    limit = std::min(limit, windows->firing_limit(kResultsAtOnce));
  }
  firing_watermark_ = std::max(limit, firing_watermark_ + 1);
  for (const auto& windows : windows_) windows->advance(firing_watermark_);
}

KeyCollectionSchedule::Figures WindowOperator::figures() const {
  KeyCollectionSchedule::Figures figures;
  figures.rows = rows_;
  figures.results = emitter_.results();
  figures.inserted = keys_.inserted();
  figures.keys = keys_.size();
  figures.slots = keys_.slot_count();
  for (const auto& windows : windows_) {
    figures.windows_fired += windows->counters().windows_fired;
    figures.most_live += windows->most_live_keys();
    figures.entries += windows->live_entries();
  }
  return figures;
}

void WindowOperator::collect_keys() {
  LiveSlots live(keys_.slot_count(), key_memory_);
  for (const auto& windows : windows_) windows->mark_live(live);
  const std::size_t count = live.count();
  if (watermark_ == kEndOfTime || collection_.worth_compacting(count, keys_.slot_count())) {
    const SlotMap map(live);
    keys_.compact(map);
    for (const auto& windows : windows_) windows->renumber(map);
    grown_.release_free();
  } else if (count < keys_.size()) {
    keys_.drop_others(live);
  }
  collection_.collected(figures(), count, live.slots() + live.marks());
}

std::size_t WindowOperator::count_live_keys() const {
  LiveSlots live(keys_.slot_count(), *std::pmr::get_default_resource());
  for (const auto& windows : windows_) windows->mark_live(live);
  return live.count();
}

std::size_t WindowOperator::live_entries() const {
  std::size_t entries = 0;
  for (const auto& windows : windows_) entries += windows->live_entries();
  return entries;
}

std::vector<std::uint64_t> WindowOperator::entries_by_slot() const {
  std::vector<std::uint64_t> counts(keys_.slot_count());
  for (const auto& windows : windows_) windows->count_entries(counts);
  return counts;
}

std::size_t WindowOperator::open_windows() const {
  std::size_t open = 0;
  for (const auto& windows : windows_) open += windows->open_windows();
  return open;
}

void WindowOperator::report(RunReport& report) const {
  count(report);
  report.open_windows_dropped += open_windows();
  report.state.live_keys += count_live_keys();
}

void WindowOperator::count(RunReport& report) const {
  report.rows_on_time += on_time_;
  report.rows_late += late_;
  report.rows_in_no_window += in_no_window_;
  report.results += emitter_.results();
  report.overflows.add(emitter_.overflows());
  StateCounters& state = report.state;
  for (const auto& windows : windows_) {
    const WindowStateCounters& counters = windows->counters();
    state.updates += counters.updates;
    state.merges += counters.merges;
    state.windows_fired += counters.windows_fired;
    state.expired_windows += counters.expired_windows;
    state.timers_put_off += counters.timers_put_off;
    state.peak_live_entries += counters.peak_live_entries;
    state.live_entries += windows->live_entries();
  }
  state.keys += keys_.size();
  state.peak_keys += keys_.peak_size();
  state.state_bytes += key_memory_.bytes() + window_memory_.bytes();
  state.peak_key_table_bytes += key_memory_.peak_bytes();
  state.peak_state_bytes += key_memory_.peak_bytes() + window_memory_.peak_bytes();
}

}  // namespace tidemark
