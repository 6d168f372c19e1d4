// The rows of one key's window, kept for an evictor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Event times and value columns of rows in order of arrival. Evicted rows go for good. Not
// thread-safe.
class WindowRows {
 public:
  WindowRows(const Schema& values, std::pmr::memory_resource& memory);

  std::size_t size() const { return times_.size(); }
  bool empty() const { return times_.empty(); }
  EventTime time(std::size_t row) const { return times_[row]; }
  // Value column `input` as a number, which loses digits of integers above 2^53; nothing for NULL.
  std::optional<double> number(std::size_t row, std::size_t input) const;

  // Marks a row to go; rows keep their numbers until the evictor has returned.
  void evict(std::size_t row);

  // For the window state that owns the rows:
  void append(const Batch& batch, std::size_t first_value, std::size_t row);
  // Rows of `other` behind those that are here.
  void append(const WindowRows& other);
  void drop_evicted();
  void drop_oldest(std::size_t rows);
  void clear();
  // Adds all rows to `entry`. `scratch` has the schema of the values.
  void aggregate(const AggregateLayout& layout, std::byte* entry, Batch& scratch) const;

 private:
  void fill(Batch& scratch, std::size_t from, std::size_t n) const;

  const Schema& values_;
  std::pmr::vector<EventTime> times_;
  std::pmr::vector<std::uint64_t> cells_;  // by row, then by column
  std::pmr::vector<std::uint32_t> nulls_;  // a bit per column
  std::pmr::vector<bool> evicted_;         // empty while no row is marked
};

}  // namespace tidemark
