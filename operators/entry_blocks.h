// Memory for packed runs of entries of many different lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tidemark {

// Blocks come in sizes of 2^n and 3 * 2^n entries; those given back are kept for the next of
// their size as long as they are few beside those in use. Not thread-safe.
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
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::size_t in_use_ = 0;  // entries
  std::size_t kept_ = 0;    // entries
};

}  // namespace tidemark
