// Which key slots are still in use, and the numbers that they get when the others are given up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tidemark {

// A set of key slots, filled by whoever holds state that names them. Not thread-safe.
class LiveSlots {
 public:
  // For slots in [0, slots), none of them marked.
  LiveSlots(std::size_t slots, std::pmr::memory_resource& memory)
      : slots_(slots), words_((slots + 63) / 64, 0, &memory) {}

  void mark(std::uint32_t slot) {
    words_[slot / 64] |= std::uint64_t{1} << slot % 64;
    ++marks_;
  }
  // Marks the slots of `n` entries that lie `entry_size` bytes apart.
  void mark_entries(const std::byte* entries, std::size_t n, std::size_t entry_size);

  bool contains(std::size_t slot) const { return (words_[slot / 64] >> slot % 64 & 1U) != 0; }
  // Range of slots, and how many of them are marked.
  std::size_t slots() const { return slots_; }
  std::size_t count() const;
  // How often a slot was marked: what finding out has cost.
  std::size_t marks() const { return marks_; }

  // Calls visit(slot) for all marked slots below `end`, in order.
  template <typename Visit>
  void for_each_below(std::size_t end, const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size() && word * 64 < end; ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (slot >= end) return;
        visit(static_cast<std::uint32_t>(slot));
      }
    }
  }

  const std::pmr::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::size_t slots_;
  std::size_t marks_ = 0;
  std::pmr::vector<std::uint64_t> words_;
};

// Numbers the live slots afresh from 0 on, in the same order: a new number is never above the old
// one, so arrays can be permuted in place from the front. `live` must outlive the map.
class SlotMap {
 public:
  explicit SlotMap(const LiveSlots& live);

  // The new number of a live slot.
  std::uint32_t operator[](std::uint32_t slot) const {
    const std::uint64_t below = (std::uint64_t{1} << slot % 64) - 1;
    return before_[slot / 64] +
           static_cast<std::uint32_t>(std::popcount(live_.words()[slot / 64] & below));
  }
  bool is_live(std::uint32_t slot) const { return live_.contains(slot); }
  // Number of slots from now on.
  std::size_t new_size() const { return new_size_; }

  // Calls visit(old, new) for live slots below `end`, in order.
  template <typename Visit>
  void for_each_below(std::size_t end, const Visit& visit) const {
    std::uint32_t number = 0;
    live_.for_each_below(end, [&](std::uint32_t slot) { visit(slot, number++); });
  }

  // Gives `n` entries that lie `entry_size` bytes apart, all of live slots, their new numbers.
  void renumber_entries(std::byte* entries, std::size_t n, std::size_t entry_size) const;

 private:
  const LiveSlots& live_;
  std::pmr::vector<std::uint32_t> before_;  // live slots before each word
  std::size_t new_size_ = 0;
};

}  // namespace tidemark
