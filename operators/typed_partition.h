// From rows of the user's type to batches of columns: the source partition of the typed face.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemark/operators/row_stages.h"
#include "tidemark/operators/source.h"
#include "tidemark/operators/typed_aggregates.h"
#include "tidemark/operators/typed_cells.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Reads event time, keys and inputs of aggregates out of rows, a column at a time. Keys and
// Aggregates are std::tuple: of member pointers and callables, and of Aggregate.
template <typename Row, typename Time, typename Keys, typename Aggregates>
class RowColumns {
 public:
  RowColumns(Time time, Keys keys, Aggregates aggregates)
      : time_(std::move(time)),
        keys_(std::move(keys)),
        aggregates_(std::move(aggregates)),
        inputs_(plan_inputs<Row>(aggregates_)) {}

  // Appends `rows`, which fit, and returns how many were left out for want of a valid event time.
  std::size_t append(std::span<const Row> rows, Batch& batch) const {
    EventTime* times = batch.times() + batch.size();
    if (read_row_times(rows, time_, times)) {
      append_valid(rows, batch);
      return 0;
    }
    std::size_t bad = 0;
    for (std::size_t begin = 0; begin < rows.size();) {
      if (!is_valid_event_time(times[begin])) {
        ++bad;
        ++begin;
        continue;
      }
      std::size_t end = begin + 1;
      while (end < rows.size() && is_valid_event_time(times[end])) ++end;
      std::copy(times + begin, times + end, batch.times() + batch.size());
      append_valid(rows.subspan(begin, end - begin), batch);
      begin = end;
    }
    return bad;
  }

 private:
  void append_valid(std::span<const Row> rows, Batch& batch) const {
    append_keys(rows, batch, std::make_index_sequence<kKeys>{});
    append_inputs(rows, batch, std::make_index_sequence<std::tuple_size_v<Aggregates>>{});
    if constexpr (kIsPunctuated<Time>) append_watermarks(rows, batch);
    batch.set_size(batch.size() + rows.size());
  }

  template <std::size_t... kIndex>
  void append_keys([[maybe_unused]] std::span<const Row> rows, [[maybe_unused]] Batch& batch,
                   std::index_sequence<kIndex...>) const {
    (read_keys<Row, std::tuple_element_t<kIndex, Keys>>(rows, std::get<kIndex>(keys_),
                                                        batch.column(kIndex), batch.size()),
     ...);
  }

  template <std::size_t... kIndex>
  void append_inputs(std::span<const Row> rows, Batch& batch,
                     std::index_sequence<kIndex...>) const {
    (append_input<kIndex>(rows, batch), ...);
  }

  template <std::size_t kIndex>
  void append_input(std::span<const Row> rows, Batch& batch) const {
    using Aggregate = std::tuple_element_t<kIndex, Aggregates>;
    if constexpr (AggregateTraits<Row, Aggregate>::kReadsColumn) {
      if (!inputs_.fills_it[kIndex]) return;
      const auto column = kKeys + static_cast<std::size_t>(inputs_.column[kIndex]);
      using Input = decltype(Aggregate::input);
      read_inputs<Row, Input>(rows, std::get<kIndex>(aggregates_).input, batch.column(column),
                              batch.size());
    }
  }

  // The last column is theirs.
  void append_watermarks(std::span<const Row> rows, Batch& batch) const {
    using Watermark = decltype(Time::watermark);
    EventTime* const watermarks = batch.column(batch.column_count() - 1).int64s() + batch.size();
    read_times<Row, Watermark>(rows, time_.watermark, watermarks);
  }

  static constexpr std::size_t kKeys = std::tuple_size_v<Keys>;

  Time time_;
  Keys keys_;
  Aggregates aggregates_;
  InputColumns<std::tuple_size_v<Aggregates>> inputs_;
};

// Reads rows through `Reader`, sends them through `Stages` (see row_stages.h) and appends what
// comes out.
template <typename Reader, typename Stages, typename Columns>
class TypedPartition final : public SourcePartition {
 public:
  using SourceRow = typename Reader::Row;
  using Row = typename Stages::template Output<SourceRow>;

  TypedPartition(Reader reader, Stages stages, Columns columns)
      : reader_(std::move(reader)), stages_(std::move(stages)), columns_(std::move(columns)) {}

  PollStatus poll(Batch& batch) override {
    const std::size_t before = batch.size();
    for (std::size_t reads = 0; !batch.full() && reads < kMostReads; ++reads) {
      const std::span<const Row> rows = next_rows(batch.capacity() - batch.size());
      if (ended_) break;
      bad_rows_ += columns_.append(rows, batch);
    }
    if (batch.size() > before) return PollStatus::kRows;
    return ended_ ? PollStatus::kEnd : PollStatus::kPending;
  }

  // After a poll that yielded nothing only because the stages let nothing pass: at once.
  std::optional<Clock::time_point> ready_at() const override { return Clock::now(); }

  std::uint64_t bad_rows() const override { return bad_rows_; }

 private:
  // Reads per poll, so that other tasks get their turn if nearly all rows are filtered out.
  static constexpr std::size_t kMostReads = 64;

  std::span<const Row> next_rows(std::size_t most) {
    if constexpr (std::same_as<Stages, PassRows>) {
      const std::span<const Row> rows = reader_.read(most);
      ended_ = rows.empty();
      return rows;
    } else {
      if (next_staged_ == staged_.size()) stage_rows(most);
      const std::size_t count = std::min(most, staged_.size() - next_staged_);
      const std::span<const Row> rows(staged_.data() + next_staged_, count);
      next_staged_ += count;
      return rows;
    }
  }

  void stage_rows(std::size_t most) {
    staged_.clear();
    next_staged_ = 0;
    const std::span<const SourceRow> rows = reader_.read(most);
    ended_ = rows.empty();
    for (const SourceRow& row : rows) {
      stages_(row,
              [this]<typename Made>(Made&& made) { staged_.push_back(std::forward<Made>(made)); });
    }
  }

  Reader reader_;
  Stages stages_;
  Columns columns_;
  std::vector<Row> staged_;  // what the stages made, from next_staged_ on not yet appended
  std::size_t next_staged_ = 0;
  bool ended_ = false;
  std::uint64_t bad_rows_ = 0;
};

// Opens the partitions of a job for one run.
class PartitionFactory {
 public:
  virtual ~PartitionFactory() = default;
  virtual std::vector<std::unique_ptr<SourcePartition>> open() = 0;
};

template <typename Source, typename Stages, typename Columns>
class TypedPartitionFactory final : public PartitionFactory {
 public:
  TypedPartitionFactory(std::vector<Source> sources, Stages stages, Columns columns)
      : sources_(std::move(sources)), stages_(std::move(stages)), columns_(std::move(columns)) {}

  std::vector<std::unique_ptr<SourcePartition>> open() override {
    using Reader = typename Source::Reader;
    std::vector<std::unique_ptr<SourcePartition>> partitions;
    for (Source& source : sources_) {
      partitions.push_back(std::make_unique<TypedPartition<Reader, Stages, Columns>>(
          Reader(source.rows), stages_, columns_));
    }
    return partitions;
  }

 private:
  std::vector<Source> sources_;
  Stages stages_;
  Columns columns_;
};

}  // namespace tidemark
