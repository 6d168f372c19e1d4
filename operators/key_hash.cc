#include "tidemark/operators/key_hash.h"

#include <xxhash.h>

#include <algorithm>

namespace tidemark {

namespace {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kNullHash = 0x6e756c6c6b657921ULL;

std::uint64_t hash_cell(const Column& column, std::size_t row) {
  if (column.is_null(row)) return kNullHash;
  if (column.type() == ColumnType::kInt64) {
    return mix_key(static_cast<std::uint64_t>(column.int64s()[row]) + kSeed);
  }
  return hash_text(column.string(row));
}

void hash_integers(std::uint64_t* hashes, const std::int64_t* keys, std::size_t begin,
                   std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    hashes[row] = mix_key(static_cast<std::uint64_t>(keys[row]) + kSeed);
  }
}

}  // namespace

std::uint64_t hash_text(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

void hash_keys(Batch& batch, std::size_t key_columns, std::size_t begin, std::size_t end) {
  std::uint64_t* hashes = batch.hashes();
  if (key_columns == 0) {
    std::fill(hashes + begin, hashes + end, kSeed);
    return;
  }
  const Column& first = batch.column(0);
  if (first.type() == ColumnType::kInt64 && !first.has_nulls()) {
    hash_integers(hashes, first.int64s(), begin, end);
  } else {
    for (std::size_t row = begin; row < end; ++row) hashes[row] = hash_cell(first, row);
  }
  for (std::size_t key = 1; key < key_columns; ++key) {
    const Column& column = batch.column(key);
    for (std::size_t row = begin; row < end; ++row) {
      hashes[row] = mix_key(hashes[row] * 3 + hash_cell(column, row));
    }
  }
}

}  // namespace tidemark
