// How many entries of state each key slot has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tidemark/operators/aggregate_kernel.h"

namespace tidemark {

// Adds 1 to counts[slot] for each of `n` entries that lie `entry_size` bytes apart.
inline void count_entry_slots(const std::byte* entries, std::size_t n, std::size_t entry_size,
                              std::span<std::uint64_t> counts) {
  for (std::size_t i = 0; i < n; ++i) ++counts[entry_header(entries + i * entry_size).slot];
}

}  // namespace tidemark
