#include "tidemark/operators/running_sharing.h"

#include <algorithm>

namespace tidemark {

namespace {
// The rows of this many keys stay in the cache from one step of a window to the next.
constexpr std::size_t kCachedKeys = 16384;
}  // namespace

RunningSharing::RunningSharing(const AggregateLayout& layout, std::size_t parts,
                               std::pmr::memory_resource& memory)
    : layout_(layout), rows_(layout, parts, memory), results_(layout, memory) {}

void RunningSharing::enter(std::uint32_t slot) {
  if (rows_.enter(slot)) results_.append();
  if (rows_.touch(slot)) touched_.push_back(slot);
}

void RunningSharing::leave(std::uint32_t slot) {
  if (const auto position = rows_.leave(slot)) {
    results_.remove(*position);
  } else if (rows_.touch(slot)) {
    touched_.push_back(slot);
  }
}

void RunningSharing::merge_into(std::size_t part, const EntryRun& run) {
  const std::size_t entry_size = layout_.entry_size();
  std::array<std::byte*, kChunk> into;
  std::array<std::uint32_t, kChunk> slots;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    prefetch(entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      slots[i] = entry_header(entries + i * entry_size).slot;
      if (rows_.enter(slots[i])) results_.append();
      into[i] = rows_.part(slots[i], part);
    }
    layout_.merge(into.data(), entries, n);
    refresh({slots.data(), n});
  }
  merges_ += run.size;
}

void RunningSharing::entries_left(const std::byte* entries, std::size_t n) {
  if (rows_.live().size() <= kCachedKeys) return;
  std::array<std::uint32_t, kChunk> slots;
  for (std::size_t i = 0; i < n; ++i) {
    slots[i] = entry_header(entries + i * layout_.entry_size()).slot;
  }
  refresh({slots.data(), n});
}

void RunningSharing::begin_window(SealedSlices& /*sealed*/) {
  emitted_ = 0;
  for (std::size_t from = 0; from < touched_.size(); from += kChunk) {
    const std::size_t n = std::min(kChunk, touched_.size() - from);
    for (std::size_t i = from; i < from + n; ++i) rows_.prefetch(touched_[i]);
    std::array<std::uint32_t, kChunk> slots;
    std::size_t marked = 0;
    for (std::size_t i = from; i < from + n; ++i) {
      slots[marked] = touched_[i];
      marked += static_cast<std::size_t>(rows_.touched(touched_[i]));
    }
    refresh({slots.data(), marked});
  }
  touched_.clear();
}

void RunningSharing::refresh(std::span<const std::uint32_t> slots) {
  std::array<std::uint32_t, kChunk> live;
  std::array<std::uint32_t, kChunk> positions;
  std::array<const std::byte*, kChunk> a;
  std::array<const std::byte*, kChunk> b;
  std::size_t n = 0;
  for (const std::uint32_t slot : slots) {
    rows_.untouch(slot);
    if (rows_.live_entries(slot) == 0) continue;
    live[n] = slot;
    positions[n] = rows_.position(slot);
    results_.prefetch(positions[n++]);
  }
  const bool two_parts = result_states({live.data(), n}, a.data(), b.data());
  results_.refresh({positions.data(), n}, a.data(), two_parts ? b.data() : nullptr);
}

bool RunningSharing::emit(ResultEmitter& emitter) {
  const std::span<const std::uint32_t> live = rows_.live();
  while (emitted_ < live.size()) {
    const std::size_t n = std::min(live.size() - emitted_, emitter.room());
    if (n == 0) return false;
    emitter.emit_live(live.subspan(emitted_, n), results_, emitted_);
    emitted_ += n;
  }
  return true;
}

}  // namespace tidemark
