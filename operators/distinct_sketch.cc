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

void DistinctSketch::add_sparse(std::uint32_t code) {
  if (sparse_.size() == sparse_.capacity()) {
    tidy();
    const bool crowded = sparse_.size() * 2 > sparse_.capacity();
    if (crowded && sparse_.capacity() >= kMostSparse) {
      become_dense();
      raise(code);
      return;
    }
    if (crowded) {
      sparse_.reserve(std::clamp<std::size_t>(sparse_.capacity() * 2, 4, kMostSparse));
    }
  }
  sparse_.push_back(code);
}

void DistinctSketch::tidy() {
  if (sorted_ == sparse_.size()) return;
  std::sort(sparse_.begin(), sparse_.end(), std::greater<>());
  const auto same_place = [](std::uint32_t a, std::uint32_t b) { return a >> 6 == b >> 6; };
  sparse_.erase(std::unique(sparse_.begin(), sparse_.end(), same_place), sparse_.end());
  sorted_ = sparse_.size();
}

void DistinctSketch::become_dense() {
  ranks_.assign(kRegisters, 0);
  for (const std::uint32_t code : sparse_) raise(code);
  sparse_.clear();
  sparse_.shrink_to_fit();
  sorted_ = 0;
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
  if (is_sparse()) {
    DistinctSketch tidied(*this, *sparse_.get_allocator().resource());
    tidied.tidy();
    if (tidied.sparse_.size() <= kMostCounted) {
      return linear_count(tidied.sparse_.size(), std::exp2(kSparsePrecision));
    }
    tidied.become_dense();
    return tidied.estimate_of_registers();
  }
  return estimate_of_registers();
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
