#include "tidemark/operators/distinct_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tidemark {

namespace {

std::uint64_t hash_of_value(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Position of the first set bit of the low `bits` bits, from 1; bits + 1 if there is none.
std::uint32_t rank_of(std::uint64_t value, int bits) {
  const std::uint64_t left = value << (64 - bits);
  return left == 0 ? static_cast<std::uint32_t>(bits + 1)
                   : static_cast<std::uint32_t>(std::countl_zero(left) + 1);
}

// Ertl (2017), "New cardinality estimation algorithms for HyperLogLog sketches", algorithm 6.
double sigma(double x) {
  if (x == 1.0) return std::numeric_limits<double>::infinity();
  double y = 1;
  double z = x;
  for (double before = -1; z != before;) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

double tau(double x) {
  if (x == 0.0 || x == 1.0) return 0.0;
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

// Linear counting (Whang, Vander-Zanden and Taylor 1990) over the finer table.
std::uint64_t linear_count(std::size_t taken, double places) {
  return static_cast<std::uint64_t>(
      std::llround(places * std::log(places / (places - static_cast<double>(taken)))));
}

}  // namespace

void DistinctSketch::add(std::uint64_t value) {
  const std::uint64_t hash = hash_of_value(value);
  const auto place = static_cast<std::uint32_t>(hash >> (64 - kSparsePrecision));
  const std::uint32_t code = place << 6 | rank_of(hash, 64 - kSparsePrecision);
  if (is_sparse()) {
    add_sparse(code);
  } else {
    raise(code);
  }
}

// Places are bits of a hash.
std::uint32_t& DistinctSketch::cell_of(std::uint32_t code) {
  const std::uint32_t place = code >> 6;
  const std::size_t mask = sparse_.size() - 1;
  std::size_t at = place & mask;
  while (sparse_[at] != 0 && sparse_[at] >> 6 != place) at = (at + 1) & mask;
  return sparse_[at];
}

void DistinctSketch::add_sparse(std::uint32_t code) {
  if (sparse_.empty()) grow();
  std::uint32_t* cell = &cell_of(code);
  if (*cell == 0) {
    if (count_ == kMostCounted) {
      become_dense();
      raise(code);
      return;
    }
    if (2 * ++count_ > sparse_.size()) {
      grow();
      cell = &cell_of(code);
    }
  }
  *cell = std::max(*cell, code);
}

void DistinctSketch::grow() {
  constexpr std::size_t kFewest = 8;
  std::pmr::vector<std::uint32_t> before(std::max(kFewest, 2 * sparse_.size()), 0,
                                         sparse_.get_allocator());
  before.swap(sparse_);
  for (const std::uint32_t code : before) {
    if (code != 0) cell_of(code) = code;
  }
}

void DistinctSketch::become_dense() {
  ranks_.assign(kRegisters, 0);
  for (const std::uint32_t code : sparse_) {
    if (code != 0) raise(code);
  }
  sparse_.clear();
  sparse_.shrink_to_fit();
  count_ = 0;
}

// The rank in the coarser table starts with the bits of the place that it does not have.
void DistinctSketch::raise(std::uint32_t sparse_code) {
  constexpr int kMoreBits = kSparsePrecision - kPrecision;
  const std::uint32_t place = sparse_code >> 6;
  std::uint32_t rank = rank_of(place, kMoreBits);
  if (rank > kMoreBits) rank = kMoreBits + (sparse_code & 63);
  std::uint8_t& held = ranks_[place >> kMoreBits];
  held = std::max(held, static_cast<std::uint8_t>(rank));
}

void DistinctSketch::merge(const DistinctSketch& other) {
  if (other.is_sparse()) {
    for (const std::uint32_t code : other.sparse_) {
      if (code == 0) continue;
      if (is_sparse()) {
        add_sparse(code);
      } else {
        raise(code);
      }
    }
    return;
  }
  if (is_sparse()) become_dense();
  for (std::size_t i = 0; i < kRegisters; ++i) ranks_[i] = std::max(ranks_[i], other.ranks_[i]);
}

std::uint64_t DistinctSketch::estimate() const {
  return is_sparse() ? linear_count(count_, std::exp2(kSparsePrecision)) : estimate_of_registers();
}

std::uint64_t DistinctSketch::estimate_of_registers() const {
  constexpr int kHighest = 64 - kPrecision;
  std::array<std::uint32_t, kHighest + 2> counts{};
  for (const std::uint8_t rank : ranks_) ++counts[rank];
  constexpr double kCount = kRegisters;
  double z = kCount * tau(1 - counts[kHighest + 1] / kCount);
  for (int rank = kHighest; rank >= 1; --rank) {
    z = 0.5 * (z + counts[static_cast<std::size_t>(rank)]);
  }
  z += kCount * sigma(counts[0] / kCount);
  return static_cast<std::uint64_t>(std::llround(kCount / (2 * std::log(2.0)) * kCount / z));
}

std::uint64_t DistinctSketch::estimate(const DistinctSketch& a, const DistinctSketch& b) {
  DistinctSketch both(a, *a.sparse_.get_allocator().resource());
  both.merge(b);
  return both.estimate();
}

}  // namespace tidemark
