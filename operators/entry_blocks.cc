#include "tidemark/operators/entry_blocks.h"

#include <bit>
#include <cstring>

namespace tidemark {

namespace {
constexpr std::size_t kEntryAlignment = 16;
// What is kept free is at most a quarter of what is in use, or so many entries.
constexpr std::size_t kFewBlockEntries = 4096;
constexpr std::size_t kKeptShare = 4;
}  // namespace

EntryBlocks::EntryBlocks(std::size_t entry_size, std::pmr::memory_resource& memory)
    : entry_size_(entry_size), memory_(memory) {}

EntryBlocks::~EntryBlocks() { release_free(); }

// Even classes are 2^n, odd ones 3 * 2^(n - 1).
std::size_t EntryBlocks::class_of(std::size_t entries) {
  if (entries <= 1) return 0;
  const auto power = static_cast<std::size_t>(std::bit_width(entries - 1));
  const bool fits_three_quarters = power >= 2 && entries <= std::size_t{3} << (power - 2);
  return 2 * power - static_cast<std::size_t>(fits_three_quarters);
}

std::size_t EntryBlocks::entries_of(std::size_t size_class) {
  const std::size_t power = (size_class + 1) / 2;
  return size_class % 2 == 0 ? std::size_t{1} << power : std::size_t{3} << (power - 2);
}

EntryBlocks::Block EntryBlocks::copy(const std::byte* entries, std::size_t n) {
  const std::size_t size_class = class_of(n);
  const std::size_t room = entries_of(size_class);
  std::vector<std::byte*>& free = free_[size_class];
  Block block{nullptr, n};
  if (free.empty()) {
    block.entries = static_cast<std::byte*>(memory_.allocate(room * entry_size_, kEntryAlignment));
  } else {
    block.entries = free.back();
    free.pop_back();
    kept_ -= room;
  }
  in_use_ += room;
  std::memcpy(block.entries, entries, n * entry_size_);
  return block;
}

void EntryBlocks::give_back(Block& block) {
  if (block.entries == nullptr) return;
  const std::size_t size_class = class_of(block.size);
  const std::size_t room = entries_of(size_class);
  in_use_ -= room;
  if (kept_ + room > kFewBlockEntries + in_use_ / kKeptShare) {
    memory_.deallocate(block.entries, room * entry_size_, kEntryAlignment);
  } else {
    free_[size_class].push_back(block.entries);
    kept_ += room;
  }
  block = Block{};
}

void EntryBlocks::release_free() {
  for (std::size_t size_class = 0; size_class < kClasses; ++size_class) {
    for (std::byte* entries : free_[size_class]) {
      memory_.deallocate(entries, entries_of(size_class) * entry_size_, kEntryAlignment);
    }
    free_[size_class].clear();
  }
  kept_ = 0;
}

}  // namespace tidemark
