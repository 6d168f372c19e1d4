#include "tidemark/operators/late_merge.h"

#include <algorithm>

namespace tidemark {

namespace {
constexpr std::size_t kBefore = 0;
constexpr std::size_t kAfter = 1;
constexpr std::size_t kExchanged = 2;
}  // namespace

void LateMerge::Entries::resize(std::size_t n) {
  const std::size_t size = n * layout_.entry_size();
  std::size_t at = bytes_.size();
  if (size <= at) return;
  bytes_.resize(size);
  const auto initial = layout_.initial_entry();
  for (; at < size; at += initial.size()) {
    std::copy(initial.begin(), initial.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void LateMerge::Entries::assign(std::size_t i, const std::byte* entry) {
  copy_entry((*this)[i], entry, layout_.entry_size());
}

void LateMerge::Entries::release_free() {
  bytes_.clear();
  bytes_.shrink_to_fit();
}

LateMerge::LateMerge(const Slicing& slicing, const AggregateLayout& layout,
                     std::pmr::memory_resource& memory)
    : slicing_(slicing),
      layout_(layout),
      stretch_(layout, memory),
      behind_(layout, memory),
      before_(layout, memory),
      after_(layout, memory),
      rest_(layout, memory) {}

void LateMerge::fire(const LateRows::Row& row, const std::byte* content,
                     std::span<const KeptSlices::Found> entries, LateFirings& firings) {
  const std::int64_t common_first = slicing_.first_slice(row.last_window);
  const std::int64_t common_last = slicing_.last_slice(row.first_window);
  const auto common = std::ranges::partition_point(
      entries, [&](const KeptSlices::Found& found) { return found.slice < common_first; });
  const auto behind_common = std::ranges::partition_point(
      entries, [&](const KeptSlices::Found& found) { return found.slice <= common_last; });
  auto older = static_cast<std::size_t>(common - entries.begin());
  const std::span behind(behind_common, entries.end());
  if (!firings.discards()) {
    begin(content, {common, behind_common});
    merge_behind(behind);
  }
  bool any = common != behind_common;
  std::size_t rest = behind.size();
  for (std::int64_t window = row.last_window; window >= row.first_window; --window) {
    const std::int64_t first_slice = slicing_.first_slice(window);
    for (; older > 0 && entries[older - 1].slice >= first_slice; --older) {
      if (!firings.discards()) take_in_front(entries[older - 1].entry);
      any = true;
    }
    const std::int64_t last_slice = slicing_.last_slice(window);
    while (rest > 0 && behind[rest - 1].slice > last_slice) --rest;
    if (slicing_.repeats_previous(window)) continue;
    const bool had_rows = any || rest > 0;
    if (firings.discards()) {
      firings.fire(window, slicing_.window_start(window), slicing_.window_end(window),
                   had_rows ? content : nullptr, content);
    } else {
      put_aside(window, had_rows, behind_[rest]);
      if (waiting_ == kChunk) fire_waiting(firings);
    }
  }
  fire_waiting(firings);
}

void LateMerge::begin(const std::byte* content, std::span<const KeptSlices::Found> common) {
  stretch_.resize(3);
  before_.resize(kChunk);
  after_.resize(kChunk);
  rest_.resize(kChunk);
  stretch_.assign(kBefore, layout_.initial_entry().data());
  entry_header(stretch_[kBefore]).slot = entry_header(content).slot;
  for (const KeptSlices::Found& found : common) merge(stretch_[kBefore], found.entry);
  stretch_.assign(kAfter, stretch_[kBefore]);
  merge(stretch_[kAfter], content);
}

void LateMerge::merge_behind(std::span<const KeptSlices::Found> behind) {
  behind_.resize(behind.size() + 1);
  for (std::size_t i = 0; i < behind.size(); ++i) {
    behind_.assign(i + 1, behind_[i]);
    merge(behind_[i + 1], behind[i].entry);
  }
}

// What is older goes to the left.
void LateMerge::take_in_front(const std::byte* entry) {
  for (const std::size_t stretch : {kBefore, kAfter}) {
    stretch_.assign(kExchanged, entry);
    merge(stretch_[kExchanged], stretch_[stretch]);
    stretch_.assign(stretch, stretch_[kExchanged]);
  }
}

void LateMerge::put_aside(std::int64_t window, bool had_rows, const std::byte* rest) {
  before_.assign(waiting_, stretch_[kBefore]);
  after_.assign(waiting_, stretch_[kAfter]);
  rest_.assign(waiting_, rest);
  had_rows_[waiting_] = had_rows;
  windows_[waiting_++] = window;
}

void LateMerge::fire_waiting(LateFirings& firings) {
  if (waiting_ == 0) return;
  std::array<std::byte*, kChunk> into;
  for (Entries* entries : {&before_, &after_}) {
    for (std::size_t i = 0; i < waiting_; ++i) into[i] = (*entries)[i];
    layout_.merge(into.data(), rest_[0], waiting_);
  }
  merges_ += 2 * waiting_;
  for (std::size_t i = 0; i < waiting_; ++i) {
    firings.fire(windows_[i], slicing_.window_start(windows_[i]), slicing_.window_end(windows_[i]),
                 had_rows_[i] ? before_[i] : nullptr, after_[i]);
  }
  waiting_ = 0;
}

void LateMerge::release_free() {
  for (Entries* entries : {&stretch_, &behind_, &before_, &after_, &rest_}) {
    entries->release_free();
  }
}

}  // namespace tidemark
