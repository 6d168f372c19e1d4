#include "tidemark/operators/key_hash.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tidemark {
namespace {

constexpr std::size_t kKeys = 100'000;

// 100,000 different keys of some regular pattern, by their number.
struct Pattern {
  std::string name;
  std::function<std::uint64_t(std::uint64_t)> integer;
  std::function<std::string(std::uint64_t)> text;  // instead of integers
};

void PrintTo(const Pattern& pattern, std::ostream* out) { *out << pattern.name; }

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (std::uint32_t shift = 0; shift <= 40; ++shift) {
    all.push_back({fmt::format("multiples of 2^{}", shift),
                   [shift](std::uint64_t i) { return i << shift; },
                   {}});
  }
  for (const std::uint64_t step : {3ULL, 10ULL, 1000ULL, 65537ULL, 3'600'000ULL, 86'400'000ULL}) {
    all.push_back(
        {fmt::format("multiples of {}", step), [step](std::uint64_t i) { return i * step; }, {}});
  }
  all.push_back({"high bits only", [](std::uint64_t i) { return i << 47; }, {}});
  all.push_back(
      {"low and high bits", [](std::uint64_t i) { return i >> 8 | (i & 255) << 56; }, {}});
  all.push_back({"negative", [](std::uint64_t i) { return ~i; }, {}});
  all.push_back({"negative thousands", [](std::uint64_t i) { return -(i * 1000); }, {}});
  all.push_back({"times", [](std::uint64_t i) { return 1'790'726'400'000 + i * 1000; }, {}});
  for (const char* form : {"user-{}", "{:016}", "https://shop.example/customers/by-number/{}",
                           "{}@customers.shop.example"}) {
    all.push_back({fmt::format("text {}", form), {}, [form](std::uint64_t i) {
                     return fmt::format(fmt::runtime(form), i);
                   }});
  }
  return all;
}

std::vector<std::uint64_t> hashes_of(const Pattern& pattern) {
  const bool is_text = pattern.text != nullptr;
  Batch batch({{"key", is_text ? ColumnType::kString : ColumnType::kInt64}}, Batch::kMaxCapacity);
  std::vector<std::uint64_t> hashes;
  while (hashes.size() < kKeys) {
    const std::size_t n = std::min(batch.capacity(), kKeys - hashes.size());
    batch.clear();
    for (std::size_t row = 0; row < n; ++row) {
      const std::uint64_t key = hashes.size() + row;
      if (is_text) {
        batch.column(0).set_string(row, pattern.text(key));
      } else {
        batch.column(0).int64s()[row] = static_cast<std::int64_t>(pattern.integer(key));
      }
    }
    batch.set_size(n);
    hash_keys(batch, 1, 0, n);
    hashes.insert(hashes.end(), batch.hashes(), batch.hashes() + n);
  }
  return hashes;
}

// How many standard deviations the chi-square statistic of the low bits lies above what random
// bits have.
double excess_of_low_bits(const std::vector<std::uint64_t>& hashes, std::uint32_t bits) {
  std::vector<double> counts(std::size_t{1} << bits, 0.0);
  for (const std::uint64_t hash : hashes) counts[hash & (counts.size() - 1)] += 1;
  const double expected = static_cast<double>(hashes.size()) / static_cast<double>(counts.size());
  double statistic = 0;
  for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

class KeyHashPattern : public testing::TestWithParam<Pattern> {};

TEST_P(KeyHashPattern, SpreadsEvenlyOverAnyNumberOfConsumers) {
  const std::vector<std::uint64_t> hashes = hashes_of(GetParam());
  for (std::uint32_t consumers = 2; consumers <= 16; ++consumers) {
    std::vector<std::size_t> counts(consumers, 0);
    for (const std::uint64_t hash : hashes) ++counts[consumer_of(hash, consumers)];
    const double mean = static_cast<double>(kKeys) / consumers;
    EXPECT_LE(static_cast<double>(*std::max_element(counts.begin(), counts.end())), 1.1 * mean)
        << consumers << " consumers";
  }
}

// The key table looks at low bits, and holds the keys of one consumer only.
TEST_P(KeyHashPattern, SpreadsTheLowBitsOfEachConsumersKeys) {
  const std::vector<std::uint64_t> hashes = hashes_of(GetParam());
  for (const std::uint32_t consumers : {1U, 2U, 16U}) {
    for (const std::uint32_t consumer : {0U, consumers - 1}) {
      std::vector<std::uint64_t> own;
      for (const std::uint64_t hash : hashes) {
        if (consumer_of(hash, consumers) == consumer) own.push_back(hash);
      }
      for (const std::uint32_t bits : {4U, 10U, 17U}) {
        EXPECT_LT(excess_of_low_bits(own, bits), 8)
            << bits << " bits of consumer " << consumer << " of " << consumers;
      }
    }
  }
}

TEST_P(KeyHashPattern, HardlyEverGivesTwoKeysOneHash) {
  std::vector<std::uint64_t> hashes = hashes_of(GetParam());
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

INSTANTIATE_TEST_SUITE_P(Regular, KeyHashPattern, testing::ValuesIn(patterns()));

TEST(KeyHash, OfSeveralColumnsDependsOnTheirOrder) {
  Batch batch({{"a", ColumnType::kInt64}, {"b", ColumnType::kInt64}}, 4);
  const std::vector<std::int64_t> a{1, 2, 1, 2};
  const std::vector<std::int64_t> b{2, 1, 1, 2};
  std::copy(a.begin(), a.end(), batch.column(0).int64s());
  std::copy(b.begin(), b.end(), batch.column(1).int64s());
  batch.set_size(4);
  hash_keys(batch, 2, 0, 4);
  std::vector<std::uint64_t> hashes(batch.hashes(), batch.hashes() + 4);
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace tidemark
