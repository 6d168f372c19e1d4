#include "tidemark/operators/subtract_sharing.h"

#include <algorithm>
#include <array>

namespace tidemark {

namespace {
constexpr std::size_t kChunk = 256;
}

SubtractSharing::SubtractSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : layout_(layout),
      rows_(layout, 1, memory),
      all_valid_(static_cast<std::uint32_t>((std::uint64_t{1} << layout.value_columns()) - 1)),
      absent_(&memory) {}

void SubtractSharing::cover(std::size_t slot_count) {
  rows_.cover(slot_count);
  absent_.resize(std::max(absent_.size(), slot_count * layout_.value_columns()), 0);
}

void SubtractSharing::count_absent(const std::byte* entries, std::size_t n, int change) {
  for (std::size_t i = 0; i < n; ++i) {
    const EntryHeader& header = entry_header(entries + i * layout_.entry_size());
    if (header.valid == all_valid_) continue;
    any_absent_ = true;
    for (std::size_t column = 0; column < layout_.value_columns(); ++column) {
      if ((header.valid >> column & 1U) == 0) {
        absent(header.slot)[column] += static_cast<std::uint32_t>(change);
      }
    }
  }
}

void SubtractSharing::renew_valid_bits(std::uint32_t slot) {
  std::uint32_t valid = 0;
  for (std::size_t column = 0; column < layout_.value_columns(); ++column) {
    if (absent(slot)[column] < rows_.live_entries(slot)) valid |= 1U << column;
  }
  entry_header(rows_.part(slot, 0)).valid = valid;
}

void SubtractSharing::seal(const EntryRun& run) {
  const std::size_t entry_size = layout_.entry_size();
  std::array<std::byte*, kChunk> into;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = entry_header(entries + i * entry_size).slot;
      rows_.enter(slot);
      into[i] = rows_.part(slot, 0);
    }
    layout_.merge(into.data(), entries, n);
  }
  count_absent(run.entries, run.size, 1);
  merges_ += run.size;
}

void SubtractSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  const std::size_t entry_size = layout_.entry_size();
  count_absent(run.entries, run.size, -1);
  std::array<std::byte*, kChunk> into;
  for (std::size_t from = 0; from < run.size; from += kChunk) {
    const std::size_t n = std::min(kChunk, run.size - from);
    const std::byte* entries = run.entries + from * entry_size;
    for (std::size_t i = 0; i < n; ++i) {
      into[i] = rows_.part(entry_header(entries + i * entry_size).slot, 0);
    }
    layout_.subtract(into.data(), entries, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = entry_header(into[i]).slot;
      rows_.leave(slot);
      if (any_absent_ && rows_.live_entries(slot) > 0) renew_valid_bits(slot);
    }
  }
  merges_ += run.size;
}

void SubtractSharing::begin_window(SealedSlices& /*sealed*/) { emitted_ = 0; }

bool SubtractSharing::emit(ResultEmitter& emitter) {
  std::array<const std::byte*, kChunk> states;
  const std::span<const std::uint32_t> live = rows_.live();
  while (emitted_ < live.size()) {
    const std::size_t n = std::min({live.size() - emitted_, emitter.room(), kChunk});
    if (n == 0) return false;
    for (std::size_t i = 0; i < n; ++i) states[i] = rows_.part(live[emitted_ + i], 0);
    emitter.emit(layout_, live.subspan(emitted_, n), states.data(), nullptr);
    emitted_ += n;
  }
  return true;
}

}  // namespace tidemark
