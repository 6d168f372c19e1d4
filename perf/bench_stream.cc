#include "tidemark/perf/bench_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace tidemark {

namespace {

constexpr std::size_t kChunk = 1024;

// The low half of the hash; keys are drawn from the upper bits.
std::int64_t amount_of(std::uint64_t hash) {
  constexpr auto kBound = static_cast<std::uint64_t>(BenchStream::kLargestAmount);
  return static_cast<std::int64_t>(((hash & 0xFFFFFFFF) * kBound >> 32) + 1);
}

}  // namespace

Expected<void> validate(const BenchStreamConfig& config) {
  OrdersConfig orders;
  orders.rows = config.rows;
  orders.keys = config.keys;
  orders.rate = config.event_rate;
  orders.start = config.start;
  orders.disorder = config.disorder;
  return validate(orders);
}

BenchStream::BenchStream(const BenchStreamConfig& config)
    : rows_(config.rows),
      event_rate_(config.event_rate),
      start_(config.start),
      mixed_seed_(splitmix64(config.seed)),
      sampler_(config.keys, config.skew),
      clock_(config.start, config.event_rate, config.disorder) {}

void BenchStream::fill(std::uint64_t first, std::uint64_t stride, std::size_t count,
                       EventTime* times, std::int64_t* keys, std::int64_t* amounts) const {
  std::array<std::uint64_t, kChunk> hashes;
  const std::uint64_t seed = mixed_seed_;
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t n = std::min(kChunk, count - begin);
    const std::uint64_t row = first + begin * stride;
    for (std::size_t i = 0; i < n; ++i) hashes[i] = row_hash(seed, row + i * stride);
    const std::span<const std::uint64_t> random(hashes.data(), n);
    sampler_.fill(random, keys + begin);
    for (std::size_t i = 0; i < n; ++i) amounts[begin + i] = amount_of(hashes[i]);
    if (clock_.has_disorder()) {
      for (std::size_t i = 0; i < n; ++i) hashes[i] = disorder_of(hashes[i]);
    }
    clock_.fill(row, stride, random, times + begin);
  }
}

EventTime BenchStream::time(std::uint64_t row) const {
  return clock_.time(row, disorder_of(hash(row)));
}

std::uint64_t BenchStream::first_row_at(EventTime time) const {
  __extension__ using Wide = unsigned __int128;
  // No row lies after the time of its turn, so no row before the first turn at `time` will do.
  std::uint64_t row = 0;
  if (time > start_) {
    row = static_cast<std::uint64_t>(
        (Wide{static_cast<std::uint64_t>(time - start_)} * event_rate_ + 999) / 1000);
  }
  if (!clock_.has_disorder()) return row;
  while (this->time(row) < time) ++row;
  return row;
}

}  // namespace tidemark
