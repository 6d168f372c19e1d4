#include "tidemark/operators/running_sharing.h"

#include <algorithm>

namespace tidemark {

RunningSharing::RunningSharing(const AggregateLayout& layout, std::size_t parts,
                               std::pmr::memory_resource& memory)
    : layout_(layout), rows_(layout, parts, memory), results_(layout, memory), touched_(&memory) {}

void RunningSharing::enter(std::uint32_t slot) {
  ++changes_;
  const bool is_new = rows_.enter(slot);
  if (!keeps_results_) return;
  if (is_new) results_.append();
  if (rows_.touch(slot)) touched_.push_back(slot);
}

void RunningSharing::leave(std::uint32_t slot) {
  ++changes_;
  const auto position = rows_.leave(slot);
  if (!keeps_results_) return;
  if (position) {
    results_.remove(*position);
    return;
  }
  results_.prefetch(rows_.position(slot));
  if (rows_.touch(slot)) touched_.push_back(slot);
}

void RunningSharing::enter_chunk(const std::byte* entries, Changed& changed) {
  const std::size_t entry_size = layout_.entry_size();
  prefetch(entries, changed.size);
  for (std::size_t i = 0; i < changed.size; ++i) {
    const std::uint32_t slot = entry_header(entries + i * entry_size).slot;
    const bool is_new = rows_.enter(slot);
    changed.slots[i] = slot;
    changed.rows[i] = rows_.row(slot);
    if (!keeps_results_) continue;
    if (is_new) results_.append();
    rows_.untouch(slot);
    changed.positions[i] = rows_.position(slot);
    results_.prefetch(changed.positions[i]);
  }
}

void RunningSharing::entries_left(const std::byte* entries, std::size_t n) {
  if (!keeps_results_ || rows_.live().size() <= kCachedKeys) return;
  std::array<std::uint32_t, kChunk> slots;
  for (std::size_t i = 0; i < n; ++i) {
    slots[i] = entry_header(entries + i * layout_.entry_size()).slot;
  }
  refresh({slots.data(), n});
}

void RunningSharing::begin_window(SealedSlices& /*sealed*/) {
  emitted_ = 0;
  if (keeps_results_) refresh_touched();
  choose_way();
  changes_ = 0;
}

void RunningSharing::refresh_touched() {
  std::array<std::uint32_t, kChunk> slots;
  for (std::size_t from = 0; from < touched_.size(); from += kChunk) {
    const std::size_t n = std::min(kChunk, touched_.size() - from);
    for (std::size_t i = from; i < from + n; ++i) rows_.prefetch(touched_[i]);
    std::size_t marked = 0;
    for (std::size_t i = from; i < from + n; ++i) {
      slots[marked] = touched_[i];
      marked += static_cast<std::size_t>(rows_.touched(touched_[i]));
    }
    refresh({slots.data(), marked});
  }
  touched_.clear();
}

// The two bounds lie apart, so that a stream near one of them does not go to and fro.
void RunningSharing::choose_way() {
  if (layout_.has_text_results()) return;  // which have no cells of their own to keep
  const std::span<const std::uint32_t> live = rows_.live();
  if (keeps_results_) {
    keeps_results_ = changes_ * 2 < live.size();
    if (!keeps_results_) results_.resize(0);
    windows_computed_ = 0;
  } else if (changes_ * 4 < live.size()) {
    keeps_results_ = true;
    results_.resize(live.size());
    for (std::size_t from = 0; from < live.size(); from += kChunk) {
      refresh(live.subspan(from, std::min(kChunk, live.size() - from)));
    }
  } else if (++windows_computed_ == kForgotten) {
    results_.trim();
  }
}

void RunningSharing::refresh(std::span<const std::uint32_t> slots) {
  Changed changed;
  for (const std::uint32_t slot : slots) {
    rows_.untouch(slot);
    if (rows_.live_entries(slot) == 0) continue;
    changed.slots[changed.size] = slot;
    changed.positions[changed.size++] = rows_.position(slot);
  }
  find_rows({changed.slots.data(), changed.size}, changed.rows.data());
  refresh(changed);
}

void RunningSharing::refresh(const Changed& changed) {
  std::array<const std::byte*, kChunk> a;
  std::array<const std::byte*, kChunk> b;
  const bool two_parts =
      result_states({changed.slots.data(), changed.size}, changed.rows.data(), a.data(), b.data());
  results_.refresh({changed.positions.data(), changed.size}, a.data(),
                   two_parts ? b.data() : nullptr);
}

bool RunningSharing::emit(ResultEmitter& emitter) {
  return keeps_results_ ? emit_kept(emitter) : emit_computed(emitter);
}

bool RunningSharing::emit_kept(ResultEmitter& emitter) {
  emitted_ = emitter.emit_live(rows_.live(), results_, emitted_);
  return emitted_ == rows_.live().size();
}

bool RunningSharing::emit_computed(ResultEmitter& emitter) {
  std::array<std::byte*, kChunk> rows;
  std::array<const std::byte*, kChunk> a;
  std::array<const std::byte*, kChunk> b;
  const std::span<const std::uint32_t> live = rows_.live();
  while (emitted_ < live.size()) {
    const std::size_t n = std::min({live.size() - emitted_, emitter.room(), kChunk});
    if (n == 0) return false;
    const std::span<const std::uint32_t> slots = live.subspan(emitted_, n);
    find_rows(slots, rows.data());
    const bool two_parts = result_states(slots, rows.data(), a.data(), b.data());
    emitter.emit(layout_, slots, a.data(), two_parts ? b.data() : nullptr);
    emitted_ += n;
  }
  return true;
}

// The keys of sealed entries are the live ones.
void RunningSharing::mark_live(SealedSlices& /*sealed*/, LiveSlots& live) {
  for (const std::uint32_t slot : rows_.live()) live.mark(slot);
}

void RunningSharing::renumber(const SlotMap& map) {
  rows_.renumber(map);
  std::erase_if(touched_, [&](std::uint32_t slot) { return !map.is_live(slot); });
  for (std::uint32_t& slot : touched_) slot = map[slot];
  touched_.shrink_to_fit();
  results_.trim();
}

}  // namespace tidemark
