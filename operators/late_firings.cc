#include "tidemark/operators/late_firings.h"

#include <algorithm>
#include <utility>

namespace tidemark {

LateFirings::LateFirings(const WindowQuery& query, std::uint32_t specification,
                         const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : query_(query),
      output_(specification, layout, memory),
      comparison_(layout),
      slots_(&memory),
      ends_(&memory),
      firings_(&memory) {}

void LateFirings::begin(std::uint32_t slot, std::int64_t first, std::int64_t last) {
  slot_ = slot;
  first_ = first;
  firings_.assign(static_cast<std::size_t>(last - first + 1), 0);
  if (const auto place = slots_.find(slot); place != slots_.end()) read(place->second);
}

void LateFirings::read(const Runs& runs) {
  const std::int64_t after = first_ + static_cast<std::int64_t>(firings_.size());
  for (const Run& run : runs) {
    const std::int64_t from = std::max(run.first, first_);
    const std::int64_t to = std::min(run.last + 1, after);
    if (from >= to) continue;
    std::fill_n(firings_.begin() + (from - first_), to - from, run.firings);
  }
}

void LateFirings::fire(std::int64_t window, EventTime start, EventTime end, const std::byte* before,
                       const std::byte* after) {
  std::uint32_t& known = firings_[static_cast<std::size_t>(window - first_)];
  const std::uint32_t firings = known > 0 ? known : static_cast<std::uint32_t>(before != nullptr);
  const bool again = firings > 0 && !discards();
  if (again && !query_.repeat_unchanged && comparison_.says_the_same(before, after)) return;
  if (again && query_.accumulation == Accumulation::kRetracting) {
    output_.add(start, end, before, {PaneTiming::kLate, ChangeKind::kUpdateBefore, firings});
  }
  output_.add(start, end, after,
              {PaneTiming::kLate, again ? ChangeKind::kUpdateAfter : ChangeKind::kInsert, firings});
  known = firings + 1;
}

void LateFirings::end() {
  const auto [place, added] = slots_.try_emplace(slot_);
  Runs& runs = place->second;
  const std::int64_t last_before = runs.empty() ? kNoWatermark : runs.back().last;
  write(runs);
  if (runs.empty()) {
    slots_.erase(place);
  } else if (runs.back().last > last_before) {
    ends_.try_emplace(runs.back().last).first->second.push_back(slot_);
  }
}

// The runs around the windows that have just fired stay as they are, as far as they are kept.
void LateFirings::write(Runs& runs) const {
  const std::int64_t after = first_ + static_cast<std::int64_t>(firings_.size());
  Runs written(runs.get_allocator());
  for (const Run& run : runs) {
    const std::int64_t last = std::min(run.last, first_ - 1);
    if (last >= first_kept_) append(written, {std::max(run.first, first_kept_), last, run.firings});
  }
  for (std::size_t i = 0; i < firings_.size(); ++i) {
    const std::int64_t window = first_ + static_cast<std::int64_t>(i);
    if (firings_[i] > 0) append(written, {window, window, firings_[i]});
  }
  for (const Run& run : runs) {
    if (run.last >= after) append(written, {std::max(run.first, after), run.last, run.firings});
  }
  runs = std::move(written);
}

void LateFirings::append(Runs& runs, const Run& run) {
  if (run.first > run.last) return;
  if (!runs.empty() && runs.back().last + 1 == run.first && runs.back().firings == run.firings) {
    runs.back().last = run.last;
  } else {
    runs.push_back(run);
  }
}

void LateFirings::forget_before(std::int64_t window) {
  first_kept_ = window;
  while (!ends_.empty() && ends_.begin()->first < window) {
    for (const std::uint32_t slot : ends_.begin()->second) {
      const auto place = slots_.find(slot);
      if (place != slots_.end() && place->second.back().last < window) slots_.erase(place);
    }
    ends_.erase(ends_.begin());
  }
}

void LateFirings::mark_live(LiveSlots& live) const {
  for (const auto& [slot, runs] : slots_) live.mark(slot);
}

void LateFirings::renumber(const SlotMap& map) {
  std::pmr::unordered_map<std::uint32_t, Runs> renumbered(slots_.get_allocator());
  for (auto& [slot, runs] : slots_) renumbered.emplace(map[slot], std::move(runs));
  slots_ = std::move(renumbered);
  for (auto& [window, slots] : ends_) {
    std::erase_if(slots, [&](std::uint32_t slot) { return !map.is_live(slot); });
    for (std::uint32_t& slot : slots) slot = map[slot];
  }
  firings_.clear();
  firings_.shrink_to_fit();
}

}  // namespace tidemark
