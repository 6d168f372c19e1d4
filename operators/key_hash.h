// One 64-bit hash per row over its key columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemark/runtime/batch.h"

namespace tidemark {

// Mixes all 64 bits so that regular key patterns (multiples, high bits only) spread evenly: the
// finalizer of SplitMix64 (Steele, Lea and Flood 2014, constants by Stafford).
constexpr std::uint64_t mix_key(std::uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9ULL;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Fills batch.hashes() of rows [begin, end) from columns [0, key_columns). NULL hashes like no
// value of its column's type. Without key columns every row has the same hash.
void hash_keys(Batch& batch, std::size_t key_columns, std::size_t begin, std::size_t end);

// Which of `consumers` a hash belongs to; even for any number of them.
constexpr std::uint32_t consumer_of(std::uint64_t hash, std::uint32_t consumers) {
  return static_cast<std::uint32_t>(((hash >> 32) * consumers) >> 32);
}

}  // namespace tidemark
