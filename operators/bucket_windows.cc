#include "tidemark/operators/bucket_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemark/operators/entry_counts.h"
#include "tidemark/operators/pane_partials.h"
#include "tidemark/operators/slice_finder.h"

namespace tidemark {

BucketWindows::BucketWindows(Slicing slicing, std::uint32_t specification,
                             const AggregateLayout& layout, std::pmr::memory_resource& memory,
                             std::unique_ptr<LateFirings> late_firings)
    : slicing_(std::move(slicing)),
      specification_(specification),
      layout_(layout),
      pool_(layout, memory),
      discarded_(layout.entry_size()),
      late_firings_(std::move(late_firings)),
      late_rows_(layout, memory),
      before_(layout.entry_size()) {}

void BucketWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  slot_count_ = rows.slot_count;
  SliceFinder finder(slicing_);
  if (const auto slice = finder.uniform_slice(rows)) {
    const RowOutcome outcome = finder.outcome(*slice, first_kept_);
    add_outcome(outcome, rows.size(), outcomes);
    if ((outcome & kAccepted) == 0) return;
    if (is_late(*slice)) {
      for (std::size_t i = 0; i < rows.size(); ++i) add_late(*slice, rows, i);
    }
    add_uniform(rows, *slice);
    return;
  }
  std::array<std::uint8_t, RowChunk::kRows> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t slice = finder.slice_of(rows.times()[i]);
    mine[i] = finder.outcome(slice, first_kept_);
    outcomes[i] |= mine[i];
    if ((mine[i] & kAccepted) != 0 && is_late(slice)) add_late(slice, rows, i);
  }
  add_mixed(rows, mine.data());
}

void BucketWindows::add_late(std::int64_t slice, const RowChunk& rows, std::size_t row) {
  const std::int64_t first = std::max(slicing_.first_window(slice), first_kept_);
  const std::int64_t last = std::min(slicing_.last_window(slice), first_open_ - 1);
  if (first <= last) late_rows_.add({slice, first, last}, rows, row);
}

void BucketWindows::add_uniform(const RowChunk& rows, std::int64_t slice) {
  const std::int64_t last = slicing_.last_window(slice);
  for (std::int64_t window = std::max(slicing_.first_window(slice), first_open_); window <= last;
       ++window) {
    Pane* pane = bucket(window, rows);
    const std::size_t before = pane->size();
    pane->find_or_add(rows.slots, rows.never_null, entries_.data());
    live_entries_ += pane->size() - before;
    layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
    counters_.updates += rows.size();
  }
}

// Of windows that do not overlap: a slice is in one window.
void BucketWindows::add_partials(const RowChunk& partials) {
  const AddedPartials added = add_partials_to_panes(
      partials, layout_, slicing_, first_open_, entries_.data(), discarded_.data(),
      [&](std::int64_t slice) { return bucket(slicing_.last_window(slice), partials); });
  counters_.updates += added.rows;
  live_entries_ += added.new_entries;
}

// Rows of several slices. Where none is in two windows one pass will do; otherwise there is one for
// each window that holds any of them, so that a window gets its rows in the order of their arrival
// wherever batches end: sums of doubles depend on it.
void BucketWindows::add_mixed(const RowChunk& rows, const std::uint8_t* outcomes) {
  std::array<std::int64_t, RowChunk::kRows> first;
  std::array<std::int64_t, RowChunk::kRows> last;
  SliceFinder finder(slicing_);
  std::int64_t most_windows = 0;
  std::int64_t window = kEndOfTime;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t slice = finder.slice_of(rows.times()[i]);
    last[i] = slicing_.last_window(slice);
    first[i] = (outcomes[i] & kAccepted) == 0 ? last[i] + 1
                                              : std::max(slicing_.first_window(slice), first_open_);
    most_windows = std::max(most_windows, last[i] - first[i] + 1);
    if (first[i] <= last[i]) window = std::min(window, first[i]);
  }
  if (most_windows == 1) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      entries_[i] =
          first[i] == last[i] ? entry_in(bucket(last[i], rows), rows, i) : discarded_.data();
    }
    layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
    layout_.release(discarded_.data(), 1);
    return;
  }
  while (window != kEndOfTime) {
    Pane* pane = bucket(window, rows);
    std::int64_t next = kEndOfTime;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool holds = first[i] <= window && window <= last[i];
      entries_[i] = holds ? entry_in(pane, rows, i) : discarded_.data();
      const std::int64_t next_of_row = std::max(first[i], window + 1);
      if (next_of_row <= last[i]) next = std::min(next, next_of_row);
    }
    layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
    layout_.release(discarded_.data(), 1);
    window = next;
  }
}

std::byte* BucketWindows::entry_in(Pane* pane, const RowChunk& rows, std::size_t row) {
  const std::size_t before = pane->size();
  std::byte* const entry = pane->find_or_add(rows.slots[row], rows.never_null);
  live_entries_ += pane->size() - before;
  ++counters_.updates;
  return entry;
}

Pane* BucketWindows::bucket(std::int64_t window, const RowChunk& rows) {
  Pane*& pane = buckets_[window];
  if (pane == nullptr) pane = pool_.take();
  pane->prepare(rows.stamp, rows.size(), rows.slot_count);
  return pane;
}

void BucketWindows::advance(EventTime watermark) {
  first_open_ = std::max(first_open_, slicing_.first_open_window(watermark));
  const std::int64_t lateness = late_firings_ == nullptr ? 0 : late_firings_->lateness();
  first_kept_ = std::max(first_kept_, slicing_.first_open_window(watermark, lateness));
}

bool BucketWindows::fire(ResultEmitter& emitter) {
  NoPhases phases;
  return fire_due(emitter, phases);
}

bool BucketWindows::fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) {
  return fire_due(emitter, phases);
}

template <typename Phases>
bool BucketWindows::fire_due(ResultEmitter& emitter, Phases& phases) {
  note_live_entries();
  if (late_firings_ != nullptr && !fire_late_rows(emitter)) return false;
  for (auto bucket = buckets_.lower_bound(next_window_);
       bucket != buckets_.end() && bucket->first < first_open_; ++bucket) {
    const auto [window, pane] = *bucket;
    next_window_ = window;
    if (!slicing_.repeats_previous(window)) {
      if (!emit(emitter, window, *pane)) return false;
      ++counters_.windows_fired;
    }
    emitted_ = 0;
    ++next_window_;
  }
  next_window_ = first_open_;
  phases.stamp(WorkPhase::kFire);
  drop_closed();
  phases.stamp(WorkPhase::kEvict);
  return true;
}

void BucketWindows::drop_closed() {
  while (!buckets_.empty() && buckets_.begin()->first < first_kept_) {
    Pane* pane = buckets_.begin()->second;
    live_entries_ -= pane->size();
    pool_.give_back(pane);
    buckets_.erase(buckets_.begin());
  }
  if (late_firings_ != nullptr) late_firings_->forget_before(first_kept_);
}

bool BucketWindows::fire_late_rows(ResultEmitter& emitter) {
  if (!late_firings_->drain(emitter)) return false;
  for (; !late_rows_.empty(); late_rows_.pop()) {
    const LateRows::Row& row = late_rows_.front();
    const std::byte* const content = late_rows_.content();
    late_firings_->begin(entry_header(content).slot, row.first_window, row.last_window);
    for (std::int64_t window = row.last_window; window >= row.first_window; --window) {
      if (!slicing_.repeats_previous(window)) fire_late(window, content);
    }
    late_firings_->end();
    if (!late_firings_->drain(emitter)) {
      late_rows_.pop();
      return false;
    }
  }
  return true;
}

void BucketWindows::fire_late(std::int64_t window, const std::byte* content) {
  Pane*& pane = buckets_[window];
  if (pane == nullptr) pane = pool_.take();
  pane->prepare(--late_stamp_, 1, slot_count_);
  const std::size_t size = pane->size();
  std::byte* const entry = pane->find_or_add(entry_header(content).slot);
  const bool had_rows = pane->size() == size;
  live_entries_ += pane->size() - size;
  copy_entry(before_.data(), entry, layout_.entry_size());
  layout_.merge(&entry, content, 1);
  ++counters_.updates;
  late_firings_->fire(window, slicing_.window_start(window), slicing_.window_end(window),
                      had_rows ? before_.data() : nullptr,
                      late_firings_->discards() ? content : entry);
}

bool BucketWindows::emit(ResultEmitter& emitter, std::int64_t window, const Pane& pane) {
  emitter.begin_window(specification_, slicing_.window_start(window), slicing_.window_end(window));
  emitted_ = emitter.emit_entries(layout_, pane.entries(), pane.size(), emitted_);
  return emitted_ == pane.size();
}

std::size_t BucketWindows::open_windows() const {
  return static_cast<std::size_t>(
      std::distance(buckets_.lower_bound(next_window_), buckets_.end()));
}

void BucketWindows::count_entries(std::span<std::uint64_t> counts) {
  for (const auto& [window, pane] : buckets_) {
    count_entry_slots(pane->entries(), pane->size(), layout_.entry_size(), counts);
  }
}

void BucketWindows::mark_live(LiveSlots& live) {
  for (const auto& [window, pane] : buckets_) pane->mark_live(live);
}

void BucketWindows::renumber(const SlotMap& map) {
  for (const auto& [window, pane] : buckets_) pane->renumber(map);
  pool_.release_free();
  if (late_firings_ != nullptr) late_firings_->renumber(map);
}

}  // namespace tidemark
