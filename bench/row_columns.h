// Rows in memory, made before the clock runs, as source partitions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/operators/source.h"
#include "tidemark/runtime/batch.h"

namespace tidemark::bench {

// Event time, int64 key and one int64 value of each row, in order of arrival.
struct RowColumns {
  std::vector<EventTime> times;
  std::vector<std::int64_t> keys;
  std::vector<std::int64_t> values;

  std::size_t size() const { return times.size(); }
  void reserve(std::size_t rows) {
    times.reserve(rows);
    keys.reserve(rows);
    values.reserve(rows);
  }
  void add(EventTime time, std::int64_t key, std::int64_t value) {
    times.push_back(time);
    keys.push_back(key);
    values.push_back(value);
  }

  static Schema key_columns() { return {{"key", ColumnType::kInt64}}; }
  static Schema value_columns() { return {{"value", ColumnType::kInt64}}; }
};

// Every `shards`-th block of rows. Blocks are short against a window, so that no shard runs ahead.
class RowColumnsPartition final : public SourcePartition {
 public:
  // `rows` must outlive the partition.
  RowColumnsPartition(const RowColumns& rows, std::size_t shard, std::size_t shards)
      : rows_(rows), next_(shard * kBlock), stride_(shards * kBlock) {}

  PollStatus poll(Batch& batch) override {
    const std::size_t before = batch.size();
    while (next_ < rows_.size() && !batch.full()) {
      const std::size_t block_end = std::min(next_ / kBlock * kBlock + kBlock, rows_.size());
      const std::size_t at = batch.size();
      const std::size_t n = std::min(block_end - next_, batch.capacity() - at);
      std::copy_n(rows_.times.data() + next_, n, batch.times() + at);
      std::copy_n(rows_.keys.data() + next_, n, batch.column(0).int64s() + at);
      std::copy_n(rows_.values.data() + next_, n, batch.column(1).int64s() + at);
      batch.set_size(at + n);
      next_ += n;
      if (next_ == block_end) next_ = block_end - kBlock + stride_;
    }
    return batch.size() > before ? PollStatus::kRows : PollStatus::kEnd;
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  const RowColumns& rows_;
  std::size_t next_;
  std::size_t stride_;
};

}  // namespace tidemark::bench
