// A checksum of results that does not depend on the order in which they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark {

// The finaliser of Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
constexpr std::uint64_t checksum_bits(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

// The odd factor of a result's column: 0 is the window's end, 1 the key, aggregates follow.
constexpr std::uint64_t checksum_weight(std::size_t column) {
  return checksum_bits((column + 1) * 0x9E3779B97F4A7C15) | 1;
}

// From the weighted sum of a row's cells. Not linear, so that errors in two rows do not cancel.
constexpr std::uint64_t checksum_row(std::uint64_t weighted_cells) {
  const std::uint64_t mixed = (weighted_cells ^ (weighted_cells >> 32)) * 0xD6E8FEB86659FD93;
  return mixed ^ (mixed >> 32);
}

// What one result adds, with wrap-around, to the checksum: window end in ms, key, and the
// aggregates in their order. No branches; about one multiplication per cell.
template <typename... Aggregates>
constexpr std::uint64_t checksum_cell_mix(std::int64_t window_end, std::int64_t key,
                                          Aggregates... aggregates) {
  const std::array cells{static_cast<std::uint64_t>(window_end), static_cast<std::uint64_t>(key),
                         static_cast<std::uint64_t>(std::int64_t{aggregates})...};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) sum += cells[i] * checksum_weight(i);
  return checksum_row(sum);
}

}  // namespace tidemark
