#include "tidemark/operators/kept_slices.h"

#include <algorithm>

namespace tidemark {

KeptSlices::KeptSlices(const AggregateLayout& layout, PaneLog* shared,
                       std::pmr::memory_resource& memory)
    : layout_(layout),
      own_(layout, memory),
      log_(shared == nullptr ? own_ : *shared),
      links_(&memory),
      newest_(&memory),
      keys_(&memory),
      late_slots_(&memory),
      found_(&memory),
      exchanged_(layout.entry_size(), &memory) {}

void KeptSlices::seal(std::int64_t slice, const std::byte* entries, std::size_t n) {
  if (!shares_log()) own_.append(entries, n);
  segments_.push_back({slice, log_.end() - n, log_.end()});
}

void KeptSlices::add(std::int64_t slice, const std::byte* entry) {
  const std::uint32_t slot = entry_header(entry).slot;
  Key& key = keys_.try_emplace(slot).first->second;
  const auto [place, added] = key.late.try_emplace(slice);
  if (added) {
    place->second.assign(entry, entry + layout_.entry_size());
    late_slots_.try_emplace(slice).first->second.push_back(slot);
    ++late_count_;
  } else {
    merge(place->second.data(), entry);
  }
  const std::int64_t number = block_of(slice);
  const auto at = static_cast<std::size_t>(number - key.first);
  if (number < key.first || at >= key.blocks.size() || key.blocks[at].before == kUnknown) return;
  merge(sum_of(key, number), entry);
  ++key.blocks[at].entries;
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
  Key& key = keys_.try_emplace(slot).first->second;
  Cursor cursor(*this, slot);
  if (!segments_.empty()) {
    // What lies behind the range.
    const std::int64_t first = block_from(range.last + 1);
    const std::int64_t last = block_through(segments_.back().slice);
    if (first <= last && blocks_pay(key, first, last)) {
      find_single(cursor, range, (last + 1) * kBlock);
      find_blocks(cursor, key, first, last, false);
    }
  }
  const std::int64_t first = block_from(range.common_first);
  std::int64_t last = block_through(range.common_last);
  if (!blocks_pay(key, first, last)) last = first - 1;
  if (first <= last) {
    find_single(cursor, range, (last + 1) * kBlock);
    find_blocks(cursor, key, first, last, true);
  }
  find_single(cursor, range, range.first);
  std::reverse(found_.begin(), found_.end());
  const auto sealed = static_cast<std::ptrdiff_t>(found_.size());
  find_late(key, range.first, first <= last ? first * kBlock - 1 : range.last);
  if (first <= last) find_late(key, (last + 1) * kBlock, range.last);
  std::inplace_merge(found_.begin(), found_.begin() + sealed, found_.end(),
                     [](const Found& a, const Found& b) { return a.slice < b.slice; });
  return found_;
}

// Blocks lie side by side, also where time goes on without a row: if nearly all are empty, the few
// entries are soon told one by one.
bool KeptSlices::blocks_pay(const Key& key, std::int64_t first, std::int64_t last) const {
  constexpr std::size_t kFew = 64;
  constexpr std::size_t kEmptyForEach = 8;
  if (!key.blocks.empty()) {
    first = std::min(first, key.first);
    last = std::max(last, key.first + static_cast<std::int64_t>(key.blocks.size()) - 1);
  }
  return last - first < static_cast<std::int64_t>(kFew + kEmptyForEach * segments_.size());
}

void KeptSlices::find_single(Cursor& cursor, const Range& range, std::int64_t slice) {
  for (; !cursor.done() && cursor.slice() >= slice; cursor.step()) {
    if (cursor.slice() <= range.last) found_.push_back({cursor.slice(), cursor.entry()});
  }
}

void KeptSlices::find_blocks(Cursor& cursor, Key& key, std::int64_t first, std::int64_t last,
                             bool take) {
  cover(key, first, last);
  // The cursor is moved only where it is needed next: that takes a search.
  std::uint64_t at = cursor.at();
  for (std::int64_t number = last; number >= first; --number) {
    Block& block = key.blocks[static_cast<std::size_t>(number - key.first)];
    if (block.before == kUnknown) {
      if (cursor.at() != at) cursor.move_to(at);
      sum_up(key, number, cursor);
    }
    at = block.before;
    if (take && block.entries > 0) found_.push_back({number * kBlock, sum_of(key, number)});
  }
  if (cursor.at() != at) cursor.move_to(at);
}

void KeptSlices::find_late(const Key& key, std::int64_t first, std::int64_t last) {
  for (auto late = key.late.lower_bound(first); late != key.late.end() && late->first <= last;
       ++late) {
    found_.push_back({late->first, late->second.data()});
  }
}

void KeptSlices::cover(Key& key, std::int64_t first, std::int64_t last) {
  const auto entry = static_cast<std::ptrdiff_t>(layout_.entry_size());
  block_count_ -= key.blocks.size();
  const std::int64_t after = key.first + static_cast<std::int64_t>(key.blocks.size());
  const std::int64_t dropped = std::clamp(
      block_of(first_kept_ == kNoWatermark ? key.first * kBlock : first_kept_), key.first, after);
  key.blocks.erase(key.blocks.begin(), key.blocks.begin() + (dropped - key.first));
  key.sums.erase(key.sums.begin(), key.sums.begin() + (dropped - key.first) * entry);
  key.first = dropped;
  if (key.blocks.empty()) key.first = first;
  if (first < key.first) {
    key.blocks.insert(key.blocks.begin(), static_cast<std::size_t>(key.first - first), Block{});
    key.sums.insert(key.sums.begin(), static_cast<std::size_t>((key.first - first) * entry),
                    std::byte{0});
    key.first = first;
  }
  const auto blocks = static_cast<std::size_t>(last + 1 - key.first);
  if (blocks > key.blocks.size()) {
    key.blocks.resize(blocks);
    key.sums.resize(blocks * layout_.entry_size());
  }
  block_count_ += key.blocks.size();
}

// What is older goes to the left.
void KeptSlices::sum_up(Key& key, std::int64_t number, Cursor& cursor) {
  Block& block = key.blocks[static_cast<std::size_t>(number - key.first)];
  std::byte* const sum = sum_of(key, number);
  const std::size_t entry_size = layout_.entry_size();
  copy_entry(sum, layout_.initial_entry().data(), entry_size);
  for (; !cursor.done() && cursor.slice() >= number * kBlock; cursor.step()) {
    copy_entry(exchanged_.data(), cursor.entry(), entry_size);
    merge(exchanged_.data(), sum);
    copy_entry(sum, exchanged_.data(), entry_size);
    ++block.entries;
  }
  block.before = cursor.at();
  const std::int64_t after = (number + 1) * kBlock;
  for (auto late = key.late.lower_bound(number * kBlock);
       late != key.late.end() && late->first < after; ++late) {
    merge(sum, late->second.data());
    ++block.entries;
  }
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
  first_kept_ = std::max(first_kept_, slice);
  for (; !late_slots_.empty() && late_slots_.begin()->first < slice;
       late_slots_.erase(late_slots_.begin())) {
    for (const std::uint32_t slot : late_slots_.begin()->second) {
      const auto key = keys_.find(slot);
      late_count_ -= key->second.late.erase(late_slots_.begin()->first);
      if (!key->second.late.empty()) continue;
      block_count_ -= key->second.blocks.size();
      keys_.erase(key);
    }
  }
}

std::size_t KeptSlices::entries_before(std::int64_t slice) const {
  std::uint64_t end = log_.begin();
  const auto after =
      std::lower_bound(segments_.begin(), segments_.end(), slice,
                       [](const Segment& segment, std::int64_t s) { return segment.slice < s; });
  if (after != segments_.begin()) end = std::prev(after)->end;
  return (end - log_.begin()) + late_count_;
}

void KeptSlices::mark_live(std::int64_t slice, LiveSlots& live) {
  for (const Segment& segment : segments_) {
    if (segment.slice >= slice) break;
    log_.visit(segment.begin, segment.end, [&](std::byte* entries, std::size_t n) {
      live.mark_entries(entries, n, layout_.entry_size());
    });
  }
  for (const auto& [slot, key] : keys_) live.mark(slot);
}

void KeptSlices::renumber(const SlotMap& map) {
  forget_links();
  if (!shares_log()) {
    log_.visit(log_.begin(), log_.end(), [&](std::byte* entries, std::size_t n) {
      map.renumber_entries(entries, n, layout_.entry_size());
    });
    log_.release_free();
  }
  std::pmr::unordered_map<std::uint32_t, Key> renumbered(keys_.get_allocator());
  while (!keys_.empty()) {
    auto node = keys_.extract(keys_.begin());
    node.key() = map[node.key()];
    for (auto& [slice, entry] : node.mapped().late) entry_header(entry.data()).slot = node.key();
    renumbered.insert(std::move(node));
  }
  keys_ = std::move(renumbered);
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
