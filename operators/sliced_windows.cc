#include "tidemark/operators/sliced_windows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "tidemark/operators/entry_counts.h"
#include "tidemark/operators/pane_partials.h"
#include "tidemark/operators/slice_finder.h"

namespace tidemark {

namespace {

// Segments and stragglers of one window state as the runs that a strategy sees.
template <typename Segments>
class WindowSlices final : public SealedSlices {
 public:
  WindowSlices(PaneLog& log, Segments& segments,
               std::pmr::multimap<std::int64_t, Pane*>& stragglers)
      : log_(log), segments_(segments), stragglers_(stragglers) {}

  void visit_forward(Visitor& visitor) override {
    auto straggler = stragglers_.begin();
    for (const auto& segment : segments_) {
      for (; straggler != stragglers_.end() && straggler->first < segment.slice; ++straggler) {
        visit_stragglers(visitor, *straggler);
      }
      visit_segment(visitor, segment);
    }
    for (; straggler != stragglers_.end(); ++straggler) visit_stragglers(visitor, *straggler);
  }

  void visit_backward(Visitor& visitor) override { visit_backward(INT64_MIN, INT64_MAX, visitor); }

  void visit_backward(std::int64_t first, std::int64_t last, Visitor& visitor) override {
    auto straggler = std::make_reverse_iterator(stragglers_.upper_bound(last));
    auto segment = std::make_reverse_iterator(std::partition_point(
        segments_.begin(), segments_.end(), [&](const auto& s) { return s.slice <= last; }));
    const auto straggler_is_due = [&](std::int64_t slice) {
      return straggler != stragglers_.rend() && straggler->first >= slice;
    };
    for (; segment != segments_.rend() && segment->slice >= first; ++segment) {
      for (; straggler_is_due(segment->slice); ++straggler) visit_stragglers(visitor, *straggler);
      visit_segment(visitor, *segment);
    }
    for (; straggler_is_due(first); ++straggler) visit_stragglers(visitor, *straggler);
  }

 private:
  static void visit_stragglers(Visitor& visitor, const std::pair<const std::int64_t, Pane*>& pane) {
    visitor.visit({pane.first, pane.second->entries(), pane.second->size(), pane.second});
  }
  template <typename Segment>
  void visit_segment(Visitor& visitor, const Segment& segment) {
    log_.visit(segment.begin, segment.end, [&](std::byte* entries, std::size_t n) {
      visitor.visit({segment.slice, entries, n});
    });
  }

  PaneLog& log_;
  Segments& segments_;
  std::pmr::multimap<std::int64_t, Pane*>& stragglers_;
};

}  // namespace

SlicedWindows::SlicedWindows(Slicing slicing, std::uint32_t specification,
                             const AggregateLayout& layout, std::unique_ptr<PaneSharing> sharing,
                             std::pmr::memory_resource& memory,
                             std::unique_ptr<LateFirings> late_firings)
    : slicing_(std::move(slicing)),
      specification_(specification),
      layout_(layout),
      pool_(layout, memory),
      log_(layout, memory),
      sharing_(std::move(sharing)),
      discarded_(layout.entry_size()) {
  if (late_firings == nullptr) return;
  PaneLog* const shared_log = sharing_->rewrites_entries() ? nullptr : &log_;
  late_ = std::make_unique<Late>(slicing_, layout, shared_log, std::move(late_firings), memory);
}

void SlicedWindows::add(const RowChunk& rows, std::uint8_t* outcomes) {
  slot_count_ = rows.slot_count;
  rows_to_note_ = true;
  SliceFinder finder(slicing_);
  if (const auto slice = finder.uniform_slice(rows)) {
    const RowOutcome outcome = finder.outcome(*slice, first_kept_);
    add_outcome(outcome, rows.size(), outcomes);
    if ((outcome & kAccepted) == 0) return;
    if (is_late(*slice)) {
      for (std::size_t i = 0; i < rows.size(); ++i) add_late(*slice, rows, i);
      return;
    }
    pane_of(*slice, rows)->find_or_add(rows.slots, rows.never_null, entries_.data());
    counters_.updates += rows.size();
  } else {
    Pane* pane = nullptr;
    std::int64_t pane_slice = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row_slice = finder.slice_of(rows.times()[i]);
      const RowOutcome outcome = finder.outcome(row_slice, first_kept_);
      outcomes[i] |= outcome;
      const bool accepted = (outcome & kAccepted) != 0;
      if (!accepted || is_late(row_slice)) {
        if (accepted) add_late(row_slice, rows, i);
        entries_[i] = discarded_.data();
        continue;
      }
      if (pane == nullptr || row_slice != pane_slice) pane = pane_of(row_slice, rows);
      pane_slice = row_slice;
      entries_[i] = pane->find_or_add(rows.slots[i], rows.never_null);
      ++counters_.updates;
    }
  }
  layout_.update(entries_.data(), rows.batch, rows.first_value, rows.begin, rows.size());
  layout_.release(discarded_.data(), 1);
}

void SlicedWindows::add_partials(const RowChunk& partials) {
  slot_count_ = partials.slot_count;
  rows_to_note_ = true;
  const AddedPartials added = add_partials_to_panes(
      partials, layout_, slicing_, first_open_, entries_.data(), discarded_.data(),
      [&](std::int64_t slice) { return pane_of(slice, partials); });
  counters_.updates += added.rows;
}

Pane* SlicedWindows::pane_of(std::int64_t slice, const RowChunk& rows) {
  Pane*& pane = slice > sealed_through_ ? open_[slice] : stragglers_[slice];
  if (pane == nullptr) pane = pool_.take();
  pane->prepare(rows.stamp, rows.size(), rows.slot_count);
  return pane;
}

// The row goes to the windows that fire with it at once, and, as a straggler, to those to come.
void SlicedWindows::add_late(std::int64_t slice, const RowChunk& rows, std::size_t row) {
  const std::int64_t last = slicing_.last_window(slice);
  const LateRows::Row late{slice, std::max(slicing_.first_window(slice), first_kept_),
                           std::min(last, first_open_ - 1)};
  const std::byte* const content = late_->rows.add(late, rows, row);
  ++counters_.updates;
  if (last < first_open_) return;
  std::byte* const straggler = pane_of(slice, rows)->find_or_add(rows.slots[row]);
  layout_.merge(&straggler, content, 1);
}

bool SlicedWindows::fire_late_rows(ResultEmitter& emitter) {
  if (!late_->firings->drain(emitter)) return false;
  rows_to_note_ = rows_to_note_ || !late_->rows.empty();
  for (; !late_->rows.empty(); late_->rows.pop()) {
    const LateRows::Row& row = late_->rows.front();
    const std::byte* const content = late_->rows.content();
    if (row.first_window <= row.last_window) {
      const std::uint32_t slot = entry_header(content).slot;
      late_->firings->begin(slot, row.first_window, row.last_window);
      const auto entries = late_->kept.find(slot, slot_count_, late_->merge.range_of(row));
      late_->merge.fire(row, content, entries, *late_->firings);
      late_->firings->end();
    }
    late_->kept.add(row.slice, content);
    if (!late_->firings->drain(emitter)) {
      late_->rows.pop();
      return false;
    }
  }
  return true;
}

std::int64_t SlicedWindows::first_running_slice() const {
  return next_window_ == kNoWatermark || next_window_ == kEndOfTime
             ? next_window_
             : slicing_.first_slice(next_window_);
}

void SlicedWindows::drop_closed() {
  if (first_kept_ == kNoWatermark) return;
  late_->kept.drop_before(first_kept_ == kEndOfTime ? kEndOfTime
                                                    : slicing_.first_slice(first_kept_));
  late_->firings->forget_before(first_kept_);
}

void SlicedWindows::advance(EventTime watermark) {
  first_open_ = std::max(first_open_, slicing_.first_open_window(watermark));
  first_kept_ = late_ == nullptr
                    ? first_open_
                    : std::max(first_kept_,
                               slicing_.first_open_window(watermark, late_->firings->lateness()));
}

bool SlicedWindows::fire(ResultEmitter& emitter) {
  NoPhases phases;
  return fire_due(emitter, phases);
}

bool SlicedWindows::fire_in_phases(ResultEmitter& emitter, PhaseClock& phases) {
  return fire_due(emitter, phases);
}

template <typename Phases>
bool SlicedWindows::fire_due(ResultEmitter& emitter, Phases& phases) {
  // Counting walks the open slices, which may be many more than fire now.
  if (std::exchange(rows_to_note_, false)) note_live_entries();
  if (late_ != nullptr && !fire_late_rows(emitter)) return false;
  while (emitting_ || find_window()) {
    if (!emitting_) enter_window();
    if (!slicing_.repeats_previous(next_window_)) {
      emitter.begin_window(specification_, slicing_.window_start(next_window_),
                           slicing_.window_end(next_window_));
      if (!sharing_->emit(emitter)) return false;
      if (!sharing_->empty()) ++counters_.windows_fired;
    }
    emitting_ = false;
    ++next_window_;
    phases.stamp(WorkPhase::kFire);
    expire();
    phases.stamp(WorkPhase::kEvict);
  }
  counters_.merges = sharing_->merges();
  if (late_ != nullptr) {
    counters_.merges += late_->merge.merges() + late_->kept.merges();
    drop_closed();
  }
  return true;
}

std::int64_t SlicedWindows::next_with_rows() const {
  if (!sharing_->empty()) return next_window_;
  // Windows without rows are not walked, however many there are.
  std::int64_t next = kEndOfTime;
  if (!open_.empty()) next = slicing_.first_window(open_.begin()->first);
  if (!stragglers_.empty()) {
    next = std::min(next, slicing_.first_window(stragglers_.begin()->first));
  }
  return std::max(next, next_window_);
}

EventTime SlicedWindows::firing_limit(std::size_t results) const {
  const std::int64_t next = next_with_rows();
  if (next == kEndOfTime) return kEndOfTime;
  std::int64_t more = 0;
  if (slicing_.ends_evenly()) {
    more = static_cast<std::int64_t>(results / std::max<std::size_t>(slot_count_, 1));
    // Windows beyond all times have no ends.
    more = std::min(more, kMaxDurationMs / slicing_.slide());
  }
  return slicing_.window_end(next + more) - 1;
}

bool SlicedWindows::find_window() {
  if (sharing_->empty()) {
    const std::int64_t next = std::min(first_open_, next_with_rows());
    if (next > next_window_) {
      next_window_ = next;
      // At the end of time no window comes after those that have fired.
      if (next_window_ != kEndOfTime) expire();
    }
  }
  if (next_window_ >= first_open_) {
    // At the end of time no window is left to seal a slice for.
    sealed_through_ = first_open_ == kEndOfTime || first_open_ == kNoWatermark
                          ? first_open_
                          : slicing_.last_slice(first_open_ - 1);
    return false;
  }
  return true;
}

void SlicedWindows::enter_window() {
  sharing_->cover(slot_count_);
  seal_through(slicing_.last_slice(next_window_));
  take_stragglers();
  WindowSlices slices(log_, segments_, sealed_stragglers_);
  sharing_->begin_window(slices);
  emitting_ = true;
  // There may be a copy of what has been sealed.
  if (late_ != nullptr) note_live_entries();
}

// Lets go of all slices before the next window's first.
void SlicedWindows::expire() {
  const std::int64_t slice = slicing_.first_slice(next_window_);
  WindowSlices slices(log_, segments_, sealed_stragglers_);
  sharing_->begin_expiry(next_window_);
  while (true) {
    const auto straggler = sealed_stragglers_.begin();
    const bool have_straggler = straggler != sealed_stragglers_.end() && straggler->first < slice;
    const bool have_segment = !segments_.empty() && segments_.front().slice < slice;
    if (have_segment && (!have_straggler || segments_.front().slice <= straggler->first)) {
      const Segment segment = segments_.front();
      log_.visit(segment.begin, segment.end, [&](std::byte* entries, std::size_t n) {
        sharing_->expire({segment.slice, entries, n}, slices);
      });
      if (late_ == nullptr || !late_->kept.shares_log()) log_.drop_before(segment.end);
      segments_.pop_front();
    } else if (have_straggler) {
      Pane* pane = straggler->second;
      sharing_->expire({straggler->first, pane->entries(), pane->size(), pane}, slices);
      straggler_entries_ -= pane->size();
      pool_.give_back(pane);
      sealed_stragglers_.erase(straggler);
    } else {
      break;
    }
  }
  sharing_->end_expiry(slices);
}

void SlicedWindows::seal_through(std::int64_t slice) {
  while (!open_.empty() && open_.begin()->first <= slice) {
    const auto [sealed, pane] = *open_.begin();
    const Segment segment{sealed, log_.end(), log_.end() + pane->size()};
    log_.append(pane->entries(), pane->size());
    log_.visit(segment.begin, segment.end, [&](std::byte* entries, std::size_t n) {
      sharing_->seal({sealed, entries, n});
    });
    segments_.push_back(segment);
    if (late_ != nullptr) late_->kept.seal(sealed, pane->entries(), pane->size());
    pool_.give_back(pane);
    open_.erase(open_.begin());
  }
  sealed_through_ = std::max(sealed_through_, slice);
}

void SlicedWindows::take_stragglers() {
  for (const auto& [slice, pane] : stragglers_) {
    pane->pack();
    sharing_->add_stragglers({slice, pane->entries(), pane->size(), pane});
    straggler_entries_ += pane->size();
    sealed_stragglers_.emplace(slice, pane);
  }
  stragglers_.clear();
}

std::size_t SlicedWindows::live_entries() const {
  const std::size_t kept = late_ == nullptr ? 0 : late_->kept.entries();
  return log_.size() + straggler_entries_ + unsealed_entries() + kept;
}

void SlicedWindows::count_entries(std::span<std::uint64_t> counts) {
  if (late_ != nullptr) {
    WindowState::count_entries(counts);
    return;
  }
  const auto count_panes = [&](const auto& panes) {
    for (const auto& [slice, pane] : panes) {
      count_entry_slots(pane->entries(), pane->size(), layout_.entry_size(), counts);
    }
  };
  count_panes(open_);
  count_panes(stragglers_);
  count_panes(sealed_stragglers_);
  log_.visit(log_.begin(), log_.end(), [&](const std::byte* entries, std::size_t n) {
    count_entry_slots(entries, n, layout_.entry_size(), counts);
  });
}

std::size_t SlicedWindows::unsealed_entries() const {
  std::size_t entries = 0;
  for (const auto& [slice, pane] : open_) entries += pane->size();
  for (const auto& [slice, pane] : stragglers_) entries += pane->size();
  return entries;
}

std::size_t SlicedWindows::open_windows() const {
  std::set<std::int64_t> slices;
  for (const Segment& segment : segments_) slices.insert(segment.slice);
  for (const auto& [slice, pane] : sealed_stragglers_) slices.insert(slice);
  for (const auto& [slice, pane] : stragglers_) slices.insert(slice);
  for (const auto& [slice, pane] : open_) slices.insert(slice);

  std::int64_t windows = 0;
  std::int64_t counted_before = first_open_;
  for (const std::int64_t slice : slices) {
    const std::int64_t first = std::max(slicing_.first_window(slice), counted_before);
    const std::int64_t after = slicing_.last_window(slice) + 1;
    if (after <= first) continue;
    windows += after - first;
    counted_before = after;
  }
  return static_cast<std::size_t>(windows);
}

std::size_t SlicedWindows::most_live_keys() const {
  const std::size_t kept = late_ == nullptr ? 0 : late_->kept.entries_before(first_running_slice());
  return sharing_->most_live_keys() + unsealed_entries() + kept;
}

void SlicedWindows::mark_live(LiveSlots& live) {
  for (const auto& [slice, pane] : open_) pane->mark_live(live);
  for (const auto& [slice, pane] : stragglers_) pane->mark_live(live);
  WindowSlices slices(log_, segments_, sealed_stragglers_);
  sharing_->mark_live(slices, live);
  if (late_ == nullptr) return;
  late_->kept.mark_live(first_running_slice(), live);
  late_->firings->mark_live(live);
}

void SlicedWindows::renumber(const SlotMap& map) {
  for (const auto& [slice, pane] : open_) pane->renumber(map);
  for (const auto& [slice, pane] : stragglers_) pane->renumber(map);
  for (const auto& [slice, pane] : sealed_stragglers_) pane->renumber(map);
  log_.visit(log_.begin(), log_.end(), [&](std::byte* entries, std::size_t n) {
    map.renumber_entries(entries, n, layout_.entry_size());
  });
  pool_.release_free();
  log_.release_free();
  sharing_->renumber(map);
  if (late_ != nullptr) {
    late_->kept.renumber(map);
    late_->merge.release_free();
    late_->firings->renumber(map);
  }
  slot_count_ = map.new_size();
}

}  // namespace tidemark
