#include "tidemark/perf/bench_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace tidemark {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kChunk = 1024;
constexpr std::uint64_t kCounterStep = 0xA0761D6478BD642F;

// Wyrand (Wang Yi: wyhash, 2019): a counter hashed by one multiplication.
std::uint64_t hash_of(std::uint64_t counter) {
  const Wide product = Wide{counter} * (counter ^ 0xE7037ED1A0B428DB);
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

std::uint64_t disorder_of(std::uint64_t hash) { return draw(hash, 1); }

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
      keys_(config.keys),
      event_rate_(config.event_rate),
      start_(config.start),
      is_plain_(config.skew.kind == SkewKind::kUniform && config.disorder == 0),
      mixed_seed_(splitmix64(config.seed)),
      sampler_(config.keys, config.skew),
      clock_(config.start, config.event_rate, config.disorder) {}

void BenchStream::fill(std::uint64_t first, std::uint64_t stride, std::size_t count,
                       EventTime* times, std::int64_t* keys, std::int64_t* amounts) const {
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t n = std::min(kChunk, count - begin);
    const std::uint64_t row = first + begin * stride;
    if (is_plain_) {
      fill_plain(row, stride, n, times + begin, keys + begin, amounts + begin);
    } else {
      fill_any(row, stride, n, times + begin, keys + begin, amounts + begin);
    }
  }
}

// One loop for all three columns: hash, key and amount take a multiplication each, and the time one
// addition with carry.
void BenchStream::fill_plain(std::uint64_t first, std::uint64_t stride, std::size_t count,
                             EventTime* __restrict times, std::int64_t* __restrict keys,
                             std::int64_t* __restrict amounts) const {
  // Row * 1000 / event rate as whole ms and a 64-bit fraction that is rounded up. The fraction is
  // too large by at most 2^-64 a row, which over one chunk is far less than 1 / event rate: every
  // time comes out as if it had been divided.
  const Wide rate{event_rate_};
  const auto fraction = [&](Wide rest) {
    return static_cast<std::uint64_t>(((rest << 64) + rate - 1) / rate);
  };
  const auto step = static_cast<std::int64_t>(Wide{stride} * 1000 / rate);
  const std::uint64_t step_fraction = fraction(Wide{stride} * 1000 % rate);
  EventTime time = start_ + clock_.due(first);
  std::uint64_t part = fraction(Wide{first} * 1000 % rate);

  const std::uint64_t bound = keys_;
  const std::uint64_t counter_step = stride * kCounterStep;
  std::uint64_t counter = counter_of(first);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = hash_of(counter);
    counter += counter_step;
    keys[i] = static_cast<std::int64_t>(below(random, bound));
    amounts[i] = amount_of(random);
    times[i] = time;
    const bool carry = __builtin_add_overflow(part, step_fraction, &part);
    time += step + static_cast<std::int64_t>(carry);
  }
}

void BenchStream::fill_any(std::uint64_t first, std::uint64_t stride, std::size_t count,
                           EventTime* times, std::int64_t* keys, std::int64_t* amounts) const {
  std::array<std::uint64_t, kChunk> hashes;
  for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of(counter_of(first + i * stride));
  const std::span<const std::uint64_t> random(hashes.data(), count);
  sampler_.fill(random, keys);
  for (std::size_t i = 0; i < count; ++i) amounts[i] = amount_of(hashes[i]);
  if (clock_.has_disorder()) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = disorder_of(hashes[i]);
  }
  clock_.fill(first, stride, random, times);
}

std::uint64_t BenchStream::counter_of(std::uint64_t row) const {
  return mixed_seed_ + row * kCounterStep;
}

EventTime BenchStream::time(std::uint64_t row) const {
  return clock_.time(row, disorder_of(hash_of(counter_of(row))));
}

std::uint64_t BenchStream::first_row_at(EventTime time, std::uint64_t shard,
                                        std::uint64_t shards) const {
  // No row lies after the time of its turn, so no row before the first turn at `time` will do.
  std::uint64_t row = rows_due_before(time);
  row += (shard + shards - row % shards) % shards;
  if (!clock_.has_disorder()) return row;
  while (this->time(row) < time) row += shards;
  return row;
}

std::uint64_t BenchStream::rows_due_before(EventTime time) const {
  if (time <= start_) return 0;
  return static_cast<std::uint64_t>(
      (Wide{static_cast<std::uint64_t>(time - start_)} * event_rate_ + 999) / 1000);
}

}  // namespace tidemark
