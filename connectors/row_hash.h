// Random numbers that belong to a row, not to a sequence, so that any shard can make any row.
#pragma once

#include <cstdint>

namespace tidemark {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
constexpr std::uint64_t splitmix64(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

// The random number of a row; the seed is mixed first, so that near seeds do not share rows.
constexpr std::uint64_t row_hash(std::uint64_t mixed_seed, std::uint64_t row) {
  return splitmix64(mixed_seed ^ row);
}

// Draw number `index` of a row, independent of its other draws.
constexpr std::uint64_t draw(std::uint64_t hash, std::uint64_t index) {
  return splitmix64(hash + index * 0xd1342543de82ef95);
}

// A uniform integer in [0, bound), by Lemire's multiplication; the bias is below bound / 2^64.
constexpr std::uint64_t below(std::uint64_t random, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{random} * bound >> 64);
}

// A uniform double in [0, 1).
constexpr double unit_interval(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1.0p-53;
}

}  // namespace tidemark
