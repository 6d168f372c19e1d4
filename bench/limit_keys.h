// How hand-written loops find a key's place: the shortest open hash table that grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::bench {

// Numbers int64 keys from 0 in the order in which they come.
class LimitKeys {
 public:
  LimitKeys() { rehash(1024); }

  std::uint32_t slot_of(std::int64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = hash(key) & mask;
    for (; table_[place] != kFree; place = (place + 1) & mask) {
      if (keys_[table_[place]] == key) return table_[place];
    }
    if (keys_.size() * 2 >= table_.size()) {
      rehash(table_.size() * 2);
      return slot_of(key);
    }
    keys_.push_back(key);
    return table_[place] = static_cast<std::uint32_t>(keys_.size() - 1);
  }

  std::int64_t key(std::uint32_t slot) const { return keys_[slot]; }
  std::size_t size() const { return keys_.size(); }

 private:
  static std::uint64_t hash(std::int64_t key) {
    const std::uint64_t bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
    return bits ^ bits >> 32;
  }

  void rehash(std::size_t size) {
    table_.assign(size, kFree);
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) {
      std::size_t place = hash(keys_[slot]) & (size - 1);
      while (table_[place] != kFree) place = (place + 1) & (size - 1);
      table_[place] = slot;
    }
  }

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::vector<std::uint32_t> table_;
  std::vector<std::int64_t> keys_;
};

}  // namespace tidemark::bench
