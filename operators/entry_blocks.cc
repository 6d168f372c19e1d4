#include "tidemark/operators/entry_blocks.h"

#include <bit>
#include <cstring>

namespace tidemark {

namespace {
constexpr std::size_t kEntryAlignment = 16;
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
  auto& [free, need] = sizes_[size_class];
  Block block{nullptr, n};
  if (free.empty()) {
    block.entries = static_cast<std::byte*>(memory_.allocate(room * entry_size_, kEntryAlignment));
  } else {
    block.entries = free.back();
    free.pop_back();
  }
  need.take();
  std::memcpy(block.entries, entries, n * entry_size_);
  return block;
}

void EntryBlocks::give_back(Block& block) {
  if (block.entries == nullptr) return;
  const std::size_t size_class = class_of(block.size);
  auto& [free, need] = sizes_[size_class];
  need.give_back();
  free.push_back(block.entries);
  for (; free.size() > need.worth_keeping(); free.pop_back()) {
    memory_.deallocate(free.back(), entries_of(size_class) * entry_size_, kEntryAlignment);
  }
  block = Block{};
}

void EntryBlocks::release_free() {
  for (std::size_t size_class = 0; size_class < kClasses; ++size_class) {
    for (std::byte* entries : sizes_[size_class].free) {
      memory_.deallocate(entries, entries_of(size_class) * entry_size_, kEntryAlignment);
    }
    sizes_[size_class].free.clear();
  }
}

}  // namespace tidemark
