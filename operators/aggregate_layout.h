// Lays out the aggregates of a query in one entry, and runs their kernels over chunks of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_kernel.h"
#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// An int64 sum that did not fit: which result row of a chunk, and which aggregate.
struct CellOverflow {
  std::size_t row;
  std::size_t aggregate;
};

// Result rows as entries: each is one entry of `a`, or the sum of one of `a` and one of `b`, since
// a sharing strategy may hold a window's state in two parts.
struct ResultRows {
  const std::byte* const* a;
  const std::byte* const* b;  // may be null
  std::size_t size;
  std::uint32_t all_valid;  // valid bits that all rows have

  const std::byte* part_b(std::size_t row) const { return b == nullptr ? nullptr : b[row]; }
};

// The valid bits of row i.
inline std::uint32_t row_valid(const std::byte* const* a, const std::byte* const* b,
                               std::size_t i) {
  return entry_header(a[i]).valid | (b == nullptr ? 0U : entry_header(b[i]).valid);
}

// One output column made from primitive states.
class AggregateOutput {
 public:
  virtual ~AggregateOutput() = default;
  // Writes rows [at, at + rows.size) of `out`. Rows that overflow are set NULL and appended to
  // `overflows`.
  virtual void lower(const ResultRows& rows, Column& out, std::size_t at,
                     std::vector<std::size_t>& overflows) const = 0;
};

class AggregateLayout {
 public:
  // `undoable` picks primitives that can be subtracted; only for aggregates that allow it.
  AggregateLayout(const Schema& values, const std::vector<AggregateSpec>& aggregates,
                  bool undoable);

  // Bytes of an entry: header and states. A multiple of 8.
  std::size_t entry_size() const { return entry_size_; }
  // Bytes of the states alone.
  std::size_t state_size() const { return entry_size_ - sizeof(EntryHeader); }
  // True if every primitive can be undone exactly: doubles cannot.
  bool exactly_invertible() const { return exactly_invertible_; }
  std::size_t value_columns() const { return value_columns_; }
  // Names and types of the aggregates' result columns.
  const Schema& result_columns() const { return result_columns_; }

  // An entry of no rows, to copy from; its slot is 0.
  std::span<const std::byte> initial_entry() const { return initial_; }

  // The valid bits of value columns that have no NULL in `batch`; whoever finds an entry for a row
  // sets these, and update() the others. `first_value` is the batch's first value column.
  std::uint32_t never_null(const Batch& batch, std::size_t first_value) const;

  // Adds rows [begin, begin + n) of `batch` to entries[0, n).
  void update(std::byte* const* entries, const Batch& batch, std::size_t first_value,
              std::size_t begin, std::size_t n) const;

  // The operations of PrimitiveKernel over whole entries, valid bits included; slots are kept.
  void merge(std::byte* const* into, const std::byte* from, std::size_t n) const;
  void fold(std::byte* const* into, std::byte* from, std::size_t n) const;
  // Leaves valid bits alone: only the caller can know when the last value has left.
  void subtract(std::byte* const* into, const std::byte* from, std::size_t n) const;

  // Writes the aggregates of n result rows into columns [first_column, ...) of `out` from row `at`.
  void lower(const std::byte* const* a, const std::byte* const* b, std::size_t n, Batch& out,
             std::size_t first_column, std::size_t at, std::vector<CellOverflow>& overflows) const;

 private:
  struct BoundKernel {
    Primitive primitive;
    int input;
    std::size_t offset;
    std::unique_ptr<PrimitiveKernel> kernel;
  };

  // Offset of the primitive's state, adding the primitive if it is not there yet.
  std::size_t place(Primitive primitive, int input, const Schema& values);
  std::unique_ptr<AggregateOutput> make_output(const AggregateSpec& aggregate, const Schema& values,
                                               bool undoable);

  std::size_t value_columns_;
  Schema result_columns_;
  std::size_t entry_size_ = sizeof(EntryHeader);
  bool exactly_invertible_ = true;
  std::vector<BoundKernel> kernels_;
  std::vector<std::unique_ptr<AggregateOutput>> outputs_;
  std::vector<std::byte> initial_;
};

}  // namespace tidemark
