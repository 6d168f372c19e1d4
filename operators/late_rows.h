// Rows that have come after some of their windows have fired, until those fire again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

// A queue, in order of arrival. Each row is there as the state that it alone makes. Bounded by
// whoever adds: no chunk of rows comes before all of the last have fired. Not thread-safe.
class LateRows {
 public:
  struct Row {
    std::int64_t slice;
    // The windows that have fired and take it; none if first > last.
    std::int64_t first_window;
    std::int64_t last_window;
  };

  LateRows(const AggregateLayout& layout, std::pmr::memory_resource& memory)
      : layout_(layout), rows_(&memory), contents_(&memory) {}

  // Returns the entry of row number `row` of the chunk, valid until the next call.
  const std::byte* add(const Row& late, const RowChunk& rows, std::size_t row);

  bool empty() const { return next_ == rows_.size(); }
  // Of the first row: where it belongs, and its entry.
  const Row& front() const { return rows_[next_]; }
  const std::byte* content() const { return contents_.data() + next_ * layout_.entry_size(); }
  void pop();

 private:
  const AggregateLayout& layout_;
  std::pmr::vector<Row> rows_;
  std::pmr::vector<std::byte> contents_;
  std::size_t next_ = 0;
};

}  // namespace tidemark
