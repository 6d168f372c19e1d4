#include "tidemark/operators/shared_windows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tidemark/operators/entry_counts.h"

namespace tidemark {

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
// More than any zone's clock is away from UTC.
constexpr std::int64_t kDayMs = 86'400'000;

std::vector<WindowFamilies::Member> members_of(
    const std::vector<SharedWindows::Specification>& specifications) {
  std::vector<WindowFamilies::Member> members;
  for (const SharedWindows::Specification& specification : specifications) {
    members.push_back({specification.slicing, specification.number});
  }
  return members;
}

std::vector<Slicing> slicings_of(const std::vector<SharedWindows::Specification>& specifications) {
  std::vector<Slicing> slicings;
  for (const SharedWindows::Specification& specification : specifications) {
    slicings.push_back(specification.slicing);
  }
  return slicings;
}

// An instant of a zone at which `offset` holds; ends of int64 stay.
EventTime instant_of(std::int64_t local, std::int64_t offset) {
  return local == kLowest || local == kHighest ? local : local - offset;
}

bool all_aggregates(const WindowQuery& query, bool AggregateAlgebra::*property) {
  return std::all_of(
      query.aggregates.begin(), query.aggregates.end(), [&](const AggregateSpec& aggregate) {
        const ColumnType input = aggregate.input == AggregateSpec::kRows
                                     ? ColumnType::kInt64
                                     : query.values[static_cast<std::size_t>(aggregate.input)].type;
        return algebra_of(aggregate, input).*property;
      });
}

}  // namespace

bool can_share_one_set_of_slices(const WindowQuery& query) {
  return query.lateness == 0 && all_aggregates(query, &AggregateAlgebra::commutative) &&
         AggregateLayout(query.values, query.aggregates, false).trivial();
}

bool merges_in_any_grouping(const WindowQuery& query) {
  return all_aggregates(query, &AggregateAlgebra::exactly_associative);
}

SharedWindows::SharedWindows(const std::vector<Specification>& specifications,
                             std::shared_ptr<const ZoneClock> clock, const AggregateLayout& layout,
                             bool any_grouping, std::pmr::memory_resource& memory)
    : clock_(std::move(clock)),
      layout_(layout),
      families_(members_of(specifications)),
      edges_(slicings_of(specifications)),
      pool_(layout, memory),
      sealed_(layout, any_grouping, memory),
      period_{kLowest, kHighest, 0},
      sum_(layout, memory),
      discarded_(layout.entry_size()) {
  if (clock_ != nullptr) period_ = clock_->period_of(0);
  for (std::size_t i = 0; i < families_.size(); ++i) {
    for (const WindowFamilies::Member& member : families_[i].members) {
      if (!member.slicing.ends_evenly()) continue;
      windows_per_ms_ += 1.0 / static_cast<double>(member.slicing.slide());
    }
  }
}

void SharedWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  slot_count_ = rows.slot_count;
  const std::size_t n = rows.size();
  const EventTime first = rows.times()[0];
  if (slice_is_stale_ || first < slice_.begin || first >= slice_.end) find_slice(first);
  if (!rows.all_within(slice_.begin, slice_.end)) {
    add_mixed(rows, outcomes);
    return;
  }
  add_outcome(slice_.outcome, n, outcomes);
  if ((slice_.outcome & kAccepted) == 0) return;
  const PaneUse use = pane_of(slice_, rows);
  const std::size_t before = use.pane->size();
  use.pane->find_or_add(rows.slots, rows.never_null, entries_.data());
  count_added(use, before);
  counters_.updates += n;
  layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, n);
}

void SharedWindows::add_mixed(const RowChunk& rows, std::uint8_t* outcomes) {
  PaneUse use;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EventTime time = rows.times()[i];
    if (time < slice_.begin || time >= slice_.end) {
      find_slice(time);
      use.pane = nullptr;
    }
    outcomes[i] |= slice_.outcome;
    if ((slice_.outcome & kAccepted) == 0) {
      entries_[i] = discarded_.data();
      continue;
    }
    if (use.pane == nullptr) use = pane_of(slice_, rows);
    const std::size_t before = use.pane->size();
    entries_[i] = use.pane->find_or_add(rows.slots[i], rows.never_null);
    count_added(use, before);
    ++counters_.updates;
  }
  layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
}

void SharedWindows::count_added(const PaneUse& use, std::size_t size_before) {
  const std::size_t added = use.pane->size() - size_before;
  if (use.sealed) {
    sealed_.note_added(added);
  } else {
    open_entries_ += added;
  }
}

void SharedWindows::find_slice(EventTime time) {
  slice_is_stale_ = false;
  if (clock_ != nullptr && (time < period_.begin || time >= period_.end)) {
    period_ = clock_->period_of(time);
  }
  const std::int64_t local = time + period_.offset;
  if (local <= local_watermark_ && local < families_.earliest_start()) {
    find_no_slice(time, local);
    return;
  }
  const SliceEdges::Slice slice = slice_of(local);
  slice_.local = slice;
  slice_.begin = std::max(period_.begin, instant_of(slice.begin, period_.offset));
  slice_.end = std::min(period_.end, instant_of(slice.end, period_.offset));
  // What an open window holds, and lies behind the watermark, begins where one of them does or
  // later.
  slice_.outcome =
      families_.holds(local) ? static_cast<RowOutcome>(kHadWindow | kAccepted) : kInNoWindow;
}

// All windows that may have held the time are closed. Late rows cost no search.
void SharedWindows::find_no_slice(EventTime time, std::int64_t local) {
  if (families_.no_gaps()) {
    slice_.begin = period_.begin;
    const std::int64_t end = std::min(families_.earliest_start(), local_watermark_);
    slice_.end = std::min(period_.end, instant_of(end, period_.offset));
    slice_.end = std::max(slice_.end, time + 1);
    slice_.outcome = kHadWindow;
    return;
  }
  slice_.begin = time;
  slice_.end = time + 1;
  slice_.outcome = families_.holds(local) ? kHadWindow : kInNoWindow;
}

SliceEdges::Slice SharedWindows::slice_of(std::int64_t local) {
  if (local < sealed_before_) {
    if (const auto slice = sealed_.slice_at(local)) return *slice;
  } else {
    const auto after = open_.upper_bound(local);
    if (after != open_.begin()) {
      const auto& [begin, slice] = *std::prev(after);
      if (local < slice.end) return {begin, slice.end};
    }
  }
  return edges_.slice_of(local);
}

SharedWindows::PaneUse SharedWindows::pane_of(const RowSlice& slice, const RowChunk& rows) {
  PaneUse use;
  use.sealed = slice.local.begin < sealed_before_;
  if (use.sealed) {
    use.pane = sealed_.reopen(slice.local.begin, rows.slot_count);
    if (use.pane == nullptr) use.pane = sealed_.insert(slice.local.begin, slice.local.end);
  } else {
    OpenSlice& open = open_[slice.local.begin];
    if (open.pane == nullptr) open = {slice.local.end, pool_.take()};
    use.pane = open.pane;
  }
  use.pane->prepare(rows.stamp, rows.size(), rows.slot_count);
  return use;
}

void SharedWindows::advance(EventTime watermark) {
  slice_is_stale_ = true;
  const bool end = watermark == kEndOfTime || clock_ == nullptr;
  local_watermark_ = end ? watermark : clock_->local_watermark(watermark);
}

EventTime SharedWindows::firing_limit(std::size_t results) const {
  const auto slice = first_slice_from(kLowest);
  const WindowFamilies::Family& family = families_[families_.first_due()];
  if (!slice || family.end == kEndOfTime) return kEndOfTime;
  const EventTime first_rows = instant_of(*slice, period_.offset);
  // Which windows come first turns out at any watermark. An offset may have been another one then.
  if (family.end == kNoWatermark) return first_rows - kDayMs;
  const EventTime end = family.members.front().slicing.window_end(family.window);
  const auto windows = static_cast<double>(results / std::max<std::size_t>(slot_count_, 1));
  const double ahead = std::min(windows / windows_per_ms_, static_cast<double>(kMaxDurationMs));
  return std::max(end - 1, first_rows) + (windows > 0 ? static_cast<EventTime>(ahead) : 0);
}

bool SharedWindows::fire(ResultEmitter& emitter) {
  NoPhases phases;
  return fire_due(emitter, phases);
}

bool SharedWindows::fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) {
  return fire_due(emitter, phases);
}

template <typename Phases>
bool SharedWindows::fire_due(ResultEmitter& emitter, Phases& phases) {
  // Not where a firing goes on: how often it finds no room is a matter of pace.
  if (!firing_) note_live_entries();
  while (firing_ || find_family()) {
    if (!fire_family(emitter)) return false;
    phases.stamp(WorkPhase::kFire);
    drop_closed();
    phases.stamp(WorkPhase::kEvict);
  }
  drop_closed();
  counters_.merges = sealed_.merges();
  return true;
}

void SharedWindows::drop_closed() {
  const std::int64_t start = families_.earliest_start();
  if (start <= dropped_before_) return;
  dropped_before_ = start;
  sealed_.drop_before(start);
}

bool SharedWindows::find_family() {
  if (local_watermark_ == kNoWatermark) return false;
  while (true) {
    const WindowFamilies::Family& family = families_[families_.first_due()];
    const bool known = family.end != kNoWatermark;
    if (family.end == kEndOfTime || (known && family.end - 1 > local_watermark_)) return false;
    const auto slice = first_slice_from(known ? family.start : kLowest);
    if (known && slice && *slice < family.end) return true;
    // Windows without rows are not walked, however many there are.
    const WindowFamilies::Member& longest = family.members.back();
    std::int64_t next = local_watermark_ == kEndOfTime
                            ? kHighest
                            : longest.slicing.first_open_locally(local_watermark_);
    if (slice) {
      next = std::min(next, longest.slicing.first_window(longest.slicing.local_slice_of(*slice)));
    }
    if (next == kHighest) {
      families_.end();
    } else {
      families_.go_on(next - longest.number_shift);
    }
  }
}

std::optional<std::int64_t> SharedWindows::first_slice_from(std::int64_t from) const {
  // All that is sealed comes before all that is open.
  if (const auto sealed = sealed_.first_from(from)) return sealed;
  const auto open = open_.lower_bound(from);
  if (open == open_.end()) return std::nullopt;
  return open->first;
}

void SharedWindows::seal_before(std::int64_t end) {
  while (!open_.empty() && open_.begin()->first < end) {
    const auto& [begin, slice] = *open_.begin();
    sealed_.append(begin, slice.end, *slice.pane);
    open_entries_ -= slice.pane->size();
    pool_.give_back(slice.pane);
    open_.erase(open_.begin());
  }
  sealed_before_ = std::max(sealed_before_, end);
}

// Emits the next window of each member of the first due family.
bool SharedWindows::fire_family(ResultEmitter& emitter) {
  const WindowFamilies::Family& family = families_[families_.first_due()];
  if (!firing_) {
    seal_before(family.end);
    sum_.clear();
    summed_from_ = family.end;
    member_ = 0;
    summed_ = false;
    firing_ = true;
  }
  for (; member_ < family.members.size(); ++member_) {
    const WindowFamilies::Member& member = family.members[member_];
    const std::int64_t window = family.window + member.number_shift;
    if (!summed_) {
      const std::int64_t start = member.slicing.local_window_start(window);
      sealed_.add_up(start, summed_from_, sum_, slot_count_);
      note_live_entries();
      summed_from_ = start;
      emitted_ = 0;
      summed_ = true;
    }
    if (!sum_.empty() && !member.slicing.repeats_previous(window)) {
      emitter.begin_window(member.specification, member.slicing.window_start(window),
                           member.slicing.window_end(window));
      emitted_ = emitter.emit_entries(layout_, sum_.entries(), sum_.size(), emitted_);
      if (emitted_ < sum_.size()) return false;
      ++counters_.windows_fired;
    }
    summed_ = false;
  }
  families_.go_on(family.window + 1);
  firing_ = false;
  return true;
}

std::size_t SharedWindows::live_entries() const { return sealed_.entries() + open_entries_; }

void SharedWindows::count_entries(std::span<std::uint64_t> counts) {
  for (const auto& [begin, slice] : open_) {
    count_entry_slots(slice.pane->entries(), slice.pane->size(), layout_.entry_size(), counts);
  }
  sealed_.count_entries(counts);
}

// Goes from slice to slice, past those that lie in windows counted before.
std::size_t SharedWindows::open_windows(const Slicing& slicing, std::int64_t first_open) const {
  std::size_t windows = 0;
  auto slice =
      first_slice_from(first_open == kLowest ? kLowest : slicing.local_window_start(first_open));
  while (slice) {
    const std::int64_t its = slicing.local_slice_of(*slice);
    const std::int64_t first = std::max(first_open, slicing.first_window(its));
    const std::int64_t after = slicing.last_window(its) + 1;
    windows += static_cast<std::size_t>(std::max<std::int64_t>(after - first, 0));
    first_open = std::max(first, after);
    slice = first_slice_from(std::max(*slice + 1, slicing.local_window_start(first_open)));
  }
  return windows;
}

std::size_t SharedWindows::open_windows() const {
  std::size_t windows = 0;
  if (local_watermark_ == kEndOfTime) return windows;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    for (const WindowFamilies::Member& member : families_[i].members) {
      windows +=
          open_windows(member.slicing, local_watermark_ == kNoWatermark
                                           ? kLowest
                                           : member.slicing.first_open_locally(local_watermark_));
    }
  }
  return windows;
}

std::size_t SharedWindows::most_live_keys() const {
  return sealed_.slice_entries() + open_entries_;
}

void SharedWindows::mark_live(LiveSlots& live) {
  for (const auto& [begin, slice] : open_) slice.pane->mark_live(live);
  sealed_.mark_live(live);
}

void SharedWindows::renumber(const SlotMap& map) {
  for (const auto& [begin, slice] : open_) slice.pane->renumber(map);
  sealed_.renumber(map);
  pool_.release_free();
  // It holds the last window until the next fires.
  sum_.release();
  slot_count_ = map.new_size();
}

}  // namespace tidemark
