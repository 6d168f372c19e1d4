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
      found_(&memory),
      blocks_(&memory),
      block_slots_(&memory) {}

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
  const auto blocks = blocks_.find(slot);
  if (blocks == blocks_.end()) return;
  const auto block = blocks->second.find(block_of(slice));
  if (block == blocks->second.end()) return;
  std::byte* const into = block->second.sum->data();
  layout_.merge(&into, entry, 1);
}

// Knows the slice of the entry where it stands; segments are found from the last one on.
class KeptSlices::Cursor {
 public:
  Cursor(const KeptSlices& kept, std::uint32_t slot)
      : kept_(kept), segment_(kept.segments_.size()) {
    if (!kept.segments_.empty()) move_to(kept.newest_[slot]);
  }

  bool done() const { return at_ == kNone; }
  std::uint64_t at() const { return at_; }
  std::int64_t slice() const { return kept_.segments_[segment_].slice; }
  const std::byte* entry() const { return kept_.log_.entry(at_); }
  void step() { move_to(kept_.links_[at_ - kept_.linked_from_]); }
  void move_to(std::uint64_t at) {
    at_ = at == kNone || at < kept_.linked_from_ ? kNone : at;
    if (at_ == kNone) return;
    const auto begin = kept_.segments_.begin();
    if (segment_ > 0 && begin[segment_before()].begin <= at_) {
      segment_ -= static_cast<std::size_t>(!stands_in_segment());
      return;
    }
    const auto after =
        std::partition_point(begin, begin + static_cast<std::ptrdiff_t>(segment_),
                             [this](const Segment& segment) { return segment.begin <= at_; });
    segment_ = static_cast<std::size_t>(after - begin) - 1;
  }

 private:
  std::ptrdiff_t segment_before() const { return static_cast<std::ptrdiff_t>(segment_) - 1; }
  bool stands_in_segment() const {
    return segment_ < kept_.segments_.size() && kept_.segments_[segment_].begin <= at_;
  }

  const KeptSlices& kept_;
  std::size_t segment_;  // that of `at_`, or the one behind it
  std::uint64_t at_ = kNone;
};

std::span<const KeptSlices::Found> KeptSlices::find(std::uint32_t slot, std::size_t slot_count,
                                                    const Range& range) {
  link(slot_count);
  found_.clear();
  find_sealed(slot, range);
  find_late(slot, range);
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

void KeptSlices::find_sealed(std::uint32_t slot, const Range& range) {
  for (Cursor cursor(*this, slot); !cursor.done() && cursor.slice() >= range.first;) {
    const std::int64_t slice = cursor.slice();
    const std::int64_t number = block_of(slice);
    const bool behind = number * kBlock > range.last && is_sealed(number);
    if (behind || is_common(number, range)) {
      const Block& block = block_at(slot, cursor);
      if (!behind) found_.push_back({slice, block.sum->data()});
      cursor.move_to(block.before);
    } else {
      if (slice <= range.last) found_.push_back({slice, cursor.entry()});
      cursor.step();
    }
  }
  std::reverse(found_.begin(), found_.end());
}

void KeptSlices::find_late(std::uint32_t slot, const Range& range) {
  const auto blocks = blocks_.find(slot);
  const auto is_in_block = [&](std::int64_t slice) {
    return blocks != blocks_.end() && is_common(block_of(slice), range) &&
           blocks->second.contains(block_of(slice));
  };
  const auto sealed = static_cast<std::ptrdiff_t>(found_.size());
  for (auto late = late_.lower_bound({slot, range.first});
       late != late_.end() && late->first.first == slot && late->first.second <= range.last;
       ++late) {
    const std::int64_t slice = late->first.second;
    if (!is_in_block(slice)) found_.push_back({slice, late->second.data()});
  }
  std::inplace_merge(found_.begin(), found_.begin() + sealed, found_.end(),
                     [](const Found& a, const Found& b) { return a.slice < b.slice; });
}

KeptSlices::Block& KeptSlices::block_at(std::uint32_t slot, const Cursor& cursor) {
  const std::int64_t number = block_of(cursor.slice());
  const auto [place, added] = blocks_.try_emplace(slot).first->second.try_emplace(number);
  if (added) {
    sum_up(slot, number, cursor, place->second);
    block_slots_.try_emplace(number).first->second.push_back(slot);
    ++block_count_;
  }
  return place->second;
}

// What is older goes to the left.
void KeptSlices::sum_up(std::uint32_t slot, std::int64_t number, Cursor cursor, Block& block) {
  block.sum.emplace(cursor.entry(), cursor.entry() + layout_.entry_size(),
                    late_.get_allocator().resource());
  Entry older(*block.sum, late_.get_allocator().resource());
  for (cursor.step(); !cursor.done() && block_of(cursor.slice()) == number; cursor.step()) {
    copy_entry(older.data(), cursor.entry(), layout_.entry_size());
    std::byte* const into = older.data();
    layout_.merge(&into, block.sum->data(), 1);
    block.sum->swap(older);
    ++merges_;
  }
  block.before = cursor.at();
  std::byte* const into = block.sum->data();
  for (auto late = late_.lower_bound({slot, number * kBlock});
       late != late_.end() && late->first.first == slot && block_of(late->first.second) == number;
       ++late) {
    layout_.merge(&into, late->second.data(), 1);
    ++merges_;
  }
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
  drop_blocks_before(slice);
}

void KeptSlices::drop_blocks_before(std::int64_t slice) {
  while (!block_slots_.empty() && (block_slots_.begin()->first + 1) * kBlock <= slice) {
    for (const std::uint32_t slot : block_slots_.begin()->second) {
      const auto blocks = blocks_.find(slot);
      block_count_ -= blocks->second.erase(block_slots_.begin()->first);
      if (blocks->second.empty()) blocks_.erase(blocks);
    }
    block_slots_.erase(block_slots_.begin());
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
  renumber_blocks(map);
  found_.clear();
  found_.shrink_to_fit();
}

// A key that has lost all its entries may have sums of them yet.
void KeptSlices::renumber_blocks(const SlotMap& map) {
  std::pmr::map<std::uint32_t, Blocks> renumbered(blocks_.get_allocator());
  while (!blocks_.empty()) {
    auto node = blocks_.extract(blocks_.begin());
    if (map.is_live(node.key())) {
      node.key() = map[node.key()];
      renumbered.insert(renumbered.end(), std::move(node));
    } else {
      block_count_ -= node.mapped().size();
    }
  }
  blocks_ = std::move(renumbered);
  for (auto& [number, slots] : block_slots_) {
    std::erase_if(slots, [&](std::uint32_t slot) { return !map.is_live(slot); });
    for (std::uint32_t& slot : slots) slot = map[slot];
  }
}

// They are made again when the next late row comes.
void KeptSlices::forget_links() {
  links_.clear();
  links_.shrink_to_fit();
  newest_.clear();
  newest_.shrink_to_fit();
}

}  // namespace tidemark
