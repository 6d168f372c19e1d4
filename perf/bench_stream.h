// The stream that measurements run on: int64 key, int64 amount, event times at a fixed rate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemark/connectors/event_clock.h"
#include "tidemark/connectors/key_sampler.h"
#include "tidemark/connectors/order_generator.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

struct BenchStreamConfig {
  std::uint64_t rows = 45'000'000;
  std::uint64_t keys = 1'000;  // at least 1
  Skew skew;
  std::uint64_t event_rate = 10'000;  // rows per second of event time, at least 1
  EventTime start = kDefaultGeneratorStart;
  std::int64_t disorder = 0;  // ms, see EventClock
  std::uint64_t seed = 1;
};

// Refuses, in one sentence, what cannot be generated.
Expected<void> validate(const BenchStreamConfig& config);

// Any row at any time: row i comes from a hash of the seed and i, so that every shard of the stream
// makes its own rows. Immutable; any number of threads may share one.
class BenchStream {
 public:
  static constexpr std::int64_t kLargestAmount = 100'000;

  // `config` is valid.
  explicit BenchStream(const BenchStreamConfig& config);

  // The columns of a source batch, after the event time: `key` and `amount`.
  static Schema keys() { return {{"key", ColumnType::kInt64}}; }
  static Schema values() { return {{"amount", ColumnType::kInt64}}; }

  std::uint64_t rows() const { return rows_; }

  // Writes rows first, first + stride, ...: `count` of them, to three arrays. Amounts are from 1 to
  // kLargestAmount. About two nanoseconds a row where keys are uniform and there is no disorder.
  void fill(std::uint64_t first, std::uint64_t stride, std::size_t count, EventTime* times,
            std::int64_t* keys, std::int64_t* amounts) const;

  EventTime time(std::uint64_t row) const;
  // The first row with an event time of at least `time`, also beyond rows(). Constant time without
  // disorder, else some hundred rows are looked at.
  std::uint64_t first_row_at(EventTime time) const { return first_row_at(time, 0, 1); }
  // The same among rows shard, shard + shards, ...; `shard` is below `shards`.
  std::uint64_t first_row_at(EventTime time, std::uint64_t shard, std::uint64_t shards) const;
  // How many rows have their turn before `time`, also beyond rows(). With disorder they may lie
  // before it, and some of later turns as well.
  std::uint64_t rows_due_before(EventTime time) const;

 private:
  // What a row's hash is made from.
  std::uint64_t counter_of(std::uint64_t row) const;
  // At most a chunk of rows: uniform keys without disorder, and everything else.
  void fill_plain(std::uint64_t first, std::uint64_t stride, std::size_t count, EventTime* times,
                  std::int64_t* keys, std::int64_t* amounts) const;
  void fill_any(std::uint64_t first, std::uint64_t stride, std::size_t count, EventTime* times,
                std::int64_t* keys, std::int64_t* amounts) const;

  std::uint64_t rows_;
  std::uint64_t keys_;
  std::uint64_t event_rate_;
  EventTime start_;
  bool is_plain_;
  std::uint64_t mixed_seed_;
  KeySampler sampler_;
  EventClock clock_;
};

}  // namespace tidemark
