#include "tidemark/operators/bucket_windows.h"

#include <algorithm>
#include <utility>

#include "tidemark/operators/slice_finder.h"

namespace tidemark {

BucketWindows::BucketWindows(Slicing slicing, std::uint32_t specification,
                             const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : slicing_(std::move(slicing)),
      specification_(specification),
      layout_(layout),
      pool_(layout, memory),
      discarded_(layout.entry_size()) {}

void BucketWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  SliceFinder finder(slicing_);
  if (const auto slice = finder.uniform_slice(rows)) {
    const RowOutcome outcome = finder.outcome(*slice, first_open_);
    for (std::size_t i = 0; i < rows.size(); ++i) outcomes[i] |= outcome;
    if ((outcome & kAccepted) != 0) add_uniform(rows, *slice);
    return;
  }
  std::array<std::uint8_t, RowChunk::kRows> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mine[i] = finder.outcome(finder.slice_of(rows.times()[i]), first_open_);
    outcomes[i] |= mine[i];
  }
  add_mixed(rows, mine.data());
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

// One pass per window that a row can be in: the last that holds it, the one before, and so on.
void BucketWindows::add_mixed(const RowChunk& rows, const std::uint8_t* outcomes) {
  std::array<std::int64_t, RowChunk::kRows> window;
  std::array<std::int64_t, RowChunk::kRows> first;
  SliceFinder finder(slicing_);
  std::int64_t passes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t slice = finder.slice_of(rows.times()[i]);
    window[i] = slicing_.last_window(slice);
    first[i] = (outcomes[i] & kAccepted) == 0 ? window[i] + 1
                                              : std::max(slicing_.first_window(slice), first_open_);
    passes = std::max(passes, window[i] - first[i] + 1);
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (window[i] < first[i]) {
        entries_[i] = discarded_.data();
        continue;
      }
      Pane* pane = bucket(window[i]--, rows);
      const std::size_t before = pane->size();
      entries_[i] = pane->find_or_add(rows.slots[i]);
      entry_header(entries_[i]).valid |= rows.never_null;
      live_entries_ += pane->size() - before;
      ++counters_.updates;
    }
    layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
  }
}

Pane* BucketWindows::bucket(std::int64_t window, const RowChunk& rows) {
  Pane*& pane = buckets_[window];
  if (pane == nullptr) pane = pool_.take();
  pane->prepare(rows.stamp, rows.size(), rows.slot_count);
  return pane;
}

void BucketWindows::advance(EventTime watermark) {
  first_open_ = std::max(first_open_, slicing_.first_open_window(watermark));
}

bool BucketWindows::fire(ResultEmitter& emitter) {
  note_live_entries();
  while (!buckets_.empty() && buckets_.begin()->first < first_open_) {
    const auto [window, pane] = *buckets_.begin();
    if (!slicing_.repeats_previous(window)) {
      if (!emit(emitter, window, *pane)) return false;
      ++counters_.windows_fired;
    }
    emitted_ = 0;
    live_entries_ -= pane->size();
    pool_.give_back(pane);
    buckets_.erase(buckets_.begin());
  }
  return true;
}

bool BucketWindows::emit(ResultEmitter& emitter, std::int64_t window, const Pane& pane) {
  emitter.begin_window(specification_, slicing_.window_start(window), slicing_.window_end(window));
  emitted_ = emitter.emit_entries(layout_, pane.entries(), pane.size(), emitted_);
  return emitted_ == pane.size();
}

void BucketWindows::mark_live(LiveSlots& live) {
  for (const auto& [window, pane] : buckets_) pane->mark_live(live);
}

void BucketWindows::renumber(const SlotMap& map) {
  for (const auto& [window, pane] : buckets_) pane->renumber(map);
  pool_.release_free();
}

}  // namespace tidemark
