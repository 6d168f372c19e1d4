// Memory for packed runs of entries of many different lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/recent_peak.h"

namespace tidemark {

// Blocks come in sizes of 2^n and 3 * 2^n entries; those given back are kept for the next of
// their size as far as so many have lately been in use. Not thread-safe.
class EntryBlocks {
 public:
  struct Block {
    std::byte* entries = nullptr;
    std::size_t size = 0;  // entries
  };

  EntryBlocks(std::size_t entry_size, std::pmr::memory_resource& memory);
  // All blocks have been given back before.
  ~EntryBlocks();
  EntryBlocks(const EntryBlocks&) = delete;
  EntryBlocks& operator=(const EntryBlocks&) = delete;

  // A copy of `n` entries.
  Block copy(const std::byte* entries, std::size_t n);
  void give_back(Block& block);
  void release_free();

 private:
  static constexpr std::size_t kClasses = 128;

  static std::size_t class_of(std::size_t entries);
  static std::size_t entries_of(std::size_t size_class);

  std::size_t entry_size_;
  std::pmr::memory_resource& memory_;
  struct OfSize {
    std::vector<std::byte*> free;
    RecentNeed need;
  };
  std::array<OfSize, kClasses> sizes_;
};

}  // namespace tidemark
