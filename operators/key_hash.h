// One 64-bit hash per row over its key columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemark/runtime/batch.h"

namespace tidemark {

// Mixes all 64 bits so that regular key patterns (multiples, high bits only) spread evenly: two
// rounds of a folded multiply, the step of wyhash (Wang Yi 2019), where both halves of a 128-bit
// product are joined.
constexpr std::uint64_t mix_key(std::uint64_t value) {
  __extension__ using UnsignedInt128 = unsigned __int128;
  const auto fold = [](UnsignedInt128 product) {
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const std::uint64_t once =
      fold(static_cast<UnsignedInt128>(value ^ 0x2d358dccaa6c78a5ULL) * 0x9e3779b97f4a7c15ULL);
  return fold(static_cast<UnsignedInt128>(once) * 0xd6e8feb86659fd93ULL);
}

// XXH3 (Collet 2019).
std::uint64_t hash_text(std::string_view text);

// Fills batch.hashes() of rows [begin, end) from columns [0, key_columns). NULL hashes like no
// value of its column's type. Without key columns every row has the same hash.
void hash_keys(Batch& batch, std::size_t key_columns, std::size_t begin, std::size_t end);

// Which of `consumers` a hash belongs to; even for any number of them.
constexpr std::uint32_t consumer_of(std::uint64_t hash, std::uint32_t consumers) {
  return static_cast<std::uint32_t>(((hash >> 32) * consumers) >> 32);
}

}  // namespace tidemark
