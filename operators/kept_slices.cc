#include "tidemark/operators/kept_slices.h"

#include <algorithm>

namespace tidemark {

KeptSlices::KeptSlices(const AggregateLayout& layout, PaneLog* shared,
                       std::pmr::memory_resource& memory)
    : layout_(layout),
      own_(layout.entry_size(), memory),
      log_(shared == nullptr ? own_ : *shared),
      segments_(&memory),
      links_(&memory),
      newest_(&memory),
      late_(&memory),
      late_slots_(&memory),
      found_(&memory) {}

void KeptSlices::seal(std::int64_t slice, const std::byte* entries, std::size_t n) {
  if (!shares_log()) own_.append(entries, n);
  segments_.push_back({slice, log_.end() - n, log_.end()});
}

void KeptSlices::add(std::int64_t slice, const std::byte* entry) {
  const std::uint32_t slot = entry_header(entry).slot;
  const auto [place, added] = late_.try_emplace(Name{slot, slice});
  if (added) {
    place->second.assign(entry, entry + layout_.entry_size());
    late_slots_.try_emplace(slice).first->second.push_back(slot);
  } else {
    std::byte* const into = place->second.data();
    layout_.merge(&into, entry, 1);
  }
}

std::span<const KeptSlices::Found> KeptSlices::find(std::uint32_t slot, std::size_t slot_count,
                                                    std::int64_t first, std::int64_t last) {
  link(slot_count);
  found_.clear();
  find_sealed(slot, first, last);
  find_late(slot, first, last);
  return found_;
}

void KeptSlices::link(std::size_t slot_count) {
  if (newest_.size() < slot_count) newest_.resize(slot_count, kNone);
  if (segments_.empty()) return;
  if (links_.empty()) linked_from_ = segments_.front().begin;
  std::uint64_t position = linked_from_ + links_.size();
  log_.visit(position, log_.end(), [&](std::byte* entries, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t& newest = newest_[entry_header(entries + i * layout_.entry_size()).slot];
      links_.push_back(newest);
      newest = position++;
    }
  });
}

void KeptSlices::find_sealed(std::uint32_t slot, std::int64_t first, std::int64_t last) {
  if (segments_.empty()) return;
  auto segment = segments_.rbegin();
  for (std::uint64_t at = newest_[slot]; at != kNone && at >= linked_from_;
       at = links_[at - linked_from_]) {
    while (segment != segments_.rend() && segment->begin > at) ++segment;
    if (segment == segments_.rend() || segment->slice < first) break;
    if (segment->slice <= last) found_.push_back({segment->slice, log_.entry(at)});
  }
  std::reverse(found_.begin(), found_.end());
}

void KeptSlices::find_late(std::uint32_t slot, std::int64_t first, std::int64_t last) {
  const auto sealed = static_cast<std::ptrdiff_t>(found_.size());
  for (auto late = late_.lower_bound({slot, first});
       late != late_.end() && late->first.first == slot && late->first.second <= last; ++late) {
    found_.push_back({late->first.second, late->second.data()});
  }
  std::inplace_merge(found_.begin(), found_.begin() + sealed, found_.end(),
                     [](const Found& a, const Found& b) { return a.slice < b.slice; });
}

void KeptSlices::drop_before(std::int64_t slice) {
  while (!segments_.empty() && segments_.front().slice < slice) {
    const std::uint64_t end = segments_.front().end;
    log_.drop_before(end);
    while (!links_.empty() && linked_from_ < end) {
      links_.pop_front();
      ++linked_from_;
    }
    segments_.pop_front();
  }
  while (!late_slots_.empty() && late_slots_.begin()->first < slice) {
    for (const std::uint32_t slot : late_slots_.begin()->second) {
      late_.erase({slot, late_slots_.begin()->first});
    }
    late_slots_.erase(late_slots_.begin());
  }
}

std::size_t KeptSlices::entries_before(std::int64_t slice) const {
  std::uint64_t end = log_.begin();
  const auto after =
      std::lower_bound(segments_.begin(), segments_.end(), slice,
                       [](const Segment& segment, std::int64_t s) { return segment.slice < s; });
  if (after != segments_.begin()) end = std::prev(after)->end;
  return (end - log_.begin()) + late_.size();
}

void KeptSlices::mark_live(std::int64_t slice, LiveSlots& live) {
  for (const Segment& segment : segments_) {
    if (segment.slice >= slice) break;
    log_.visit(segment.begin, segment.end, [&](std::byte* entries, std::size_t n) {
      live.mark_entries(entries, n, layout_.entry_size());
    });
  }
  for (const auto& [name, entry] : late_) live.mark(name.first);
}

void KeptSlices::renumber(const SlotMap& map) {
  forget_links();
  if (!shares_log()) {
    log_.visit(log_.begin(), log_.end(), [&](std::byte* entries, std::size_t n) {
      map.renumber_entries(entries, n, layout_.entry_size());
    });
    log_.release_free();
  }
  // The order of slots stays, so each node goes back to the end.
  std::pmr::map<Name, Entry> renumbered(late_.get_allocator());
  while (!late_.empty()) {
    auto node = late_.extract(late_.begin());
    node.key().first = map[node.key().first];
    entry_header(node.mapped().data()).slot = node.key().first;
    renumbered.insert(renumbered.end(), std::move(node));
  }
  late_ = std::move(renumbered);
  for (auto& [slice, slots] : late_slots_) {
    for (std::uint32_t& slot : slots) slot = map[slot];
  }
  found_.clear();
  found_.shrink_to_fit();
}

// They are made again when the next late row comes.
void KeptSlices::forget_links() {
  links_.clear();
  links_.shrink_to_fit();
  newest_.clear();
  newest_.shrink_to_fit();
}

}  // namespace tidemark
