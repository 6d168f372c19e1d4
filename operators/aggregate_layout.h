// Lays out the aggregates of a query in one entry, and runs their kernels over chunks of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
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

// Result rows as entries: each is one entry of `a`. Where a sharing strategy holds a window's state
// in two parts, what AggregateLayout does not undo is the sum of one of `a` and one of `b`, and all
// else is in `a`.
struct ResultRows {
  const std::byte* const* a;
  const std::byte* const* b;  // may be null
  std::size_t size;
  std::uint32_t all_valid;  // valid bits that all rows have

  const std::byte* part_b(std::size_t row) const { return b == nullptr ? nullptr : b[row]; }
};

// The valid bits of row i.
inline std::uint32_t row_valid(const std::byte* const* a, std::size_t i) {
  return entry_header(a[i]).valid;
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

// Entries are plain bytes as long as the layout is trivial(). Otherwise they hold handles, and
// whoever holds entries owes them this:
//
// - moving bytes to another place and forgetting the old place needs nothing;
// - a copy that lives beside its original is followed by retain(), or made by assign();
// - entries that are dropped, cleared or overwritten are given to release() before, which leaves
//   them as initial ones; a copy of initial_entry() needs no retain();
// - update(), merge(), fold() and subtract() change the entries they are given and no others, even
//   where states are shared.
//
// An entry has two sections. In the first are its header and the states that can be undone exactly
// (counts, and sums of integers), in the second all others. Running rows have one first section,
// from which what expires is subtracted, and several second ones, their parts:
//
//   | header | undone states | other states, part 0 | other states, part 1 | ...
//
// Part p is found by the pointer to the row and a shift of p * other_size() bytes, or as an entry
// that begins so far behind the row and of which only the second section is its own.
//
// retain(), release() and assign() cost nothing but a test where the layout is trivial. An entry
// must not leave its stage: states are counted in the stage's memory and by plain counters.
class AggregateLayout {
 public:
  // `undoable` picks primitives that can be subtracted; only for aggregates that allow it. States
  // that grow take their memory from `memory`. Not thread-safe if it is not trivial().
  AggregateLayout(const Schema& values, const std::vector<AggregateSpec>& aggregates, bool undoable,
                  std::pmr::memory_resource& memory = *std::pmr::get_default_resource());

  // Bytes of an entry: header and states. A multiple of 8.
  std::size_t entry_size() const { return entry_size_; }
  // Bytes of the states alone.
  std::size_t state_size() const { return entry_size_ - sizeof(EntryHeader); }
  // Bytes of the first section, header included, and of the second.
  std::size_t undone_size() const { return undone_size_; }
  std::size_t other_size() const { return entry_size_ - undone_size_; }
  // True if every primitive can be undone exactly: doubles cannot.
  bool exactly_invertible() const { return exactly_invertible_; }
  // True if states that are grouped in another way give the same results to the last bit.
  bool exactly_associative() const { return exactly_associative_; }
  // True if entries hold no handles.
  bool trivial() const { return trivial_; }
  // True if some result is text, whose cells cannot be kept apart from their column.
  bool has_text_results() const { return has_text_results_; }
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
  // Leaves valid bits alone: only the caller can know when the last value has left.
  void subtract(std::byte* const* into, const std::byte* from, std::size_t n) const;

  // The same for the first section of running rows, and for one part of the second.
  void merge_undone(std::byte* const* rows, const std::byte* from, std::size_t n) const;
  void subtract_undone(std::byte* const* rows, const std::byte* from, std::size_t n) const;
  void merge_part(std::byte* const* rows, std::size_t part, const std::byte* from,
                  std::size_t n) const;
  void fold_part(std::byte* const* rows, std::size_t part, std::byte* from, std::size_t n) const;
  // Makes a part of each row a copy of the second section of from[i].
  void restore_part(std::byte* const* rows, std::size_t part, const std::byte* from,
                    std::size_t n) const;
  // Whether an entry that was subtracted from should be summed up afresh.
  bool worn(const std::byte* entry) const;

  // See above, for `n` entries one after the other.
  void retain(std::byte* entries, std::size_t n) const {
    if (!trivial_) retain_handles(entries, n);
  }
  void release(std::byte* entries, std::size_t n) const {
    if (!trivial_) release_handles(entries, n);
  }
  // Makes `to`, which is an entry already, a copy of `from`.
  void assign(std::byte* to, const std::byte* from) const {
    if (to == from) return;
    release(to, 1);
    copy_entry(to, from, entry_size_);
    retain(to, 1);
  }

  // Writes the aggregates of n result rows, of one part or two (see ResultRows), into columns
  // [first_column, ...) of `out` from row `at`.
  void lower(const std::byte* const* a, const std::byte* const* b, std::size_t n, Batch& out,
             std::size_t first_column, std::size_t at, std::vector<CellOverflow>& overflows) const;

 private:
  struct BoundKernel {
    Primitive primitive;
    int input;
    std::size_t offset;
    std::unique_ptr<PrimitiveKernel> kernel;
  };

  // Gives states that can be undone exactly their places, before all others have theirs.
  void place_undone(const AggregateSpec& aggregate, const Schema& values);
  std::span<const BoundKernel> undone_kernels() const {
    return std::span(kernels_).first(undone_kernels_);
  }
  std::span<const BoundKernel> other_kernels() const {
    return std::span(kernels_).subspan(undone_kernels_);
  }
  // Offset of the primitive's state, adding the primitive if it is not there yet.
  std::size_t place(Primitive primitive, int input, const Schema& values);
  std::size_t add_kernel(Primitive primitive, int input, std::unique_ptr<PrimitiveKernel> kernel);
  std::unique_ptr<AggregateOutput> make_output(const AggregateSpec& aggregate, const Schema& values,
                                               bool undoable);
  void retain_handles(std::byte* entries, std::size_t n) const;
  void release_handles(std::byte* entries, std::size_t n) const;

  std::size_t value_columns_;
  Schema result_columns_;
  std::size_t entry_size_ = sizeof(EntryHeader);
  std::size_t undone_size_ = sizeof(EntryHeader);
  std::size_t undone_kernels_ = 0;
  bool exactly_invertible_ = true;
  bool exactly_associative_ = true;
  bool trivial_ = true;
  bool has_text_results_ = false;
  std::pmr::memory_resource& memory_;
  std::vector<BoundKernel> kernels_;
  std::vector<std::unique_ptr<AggregateOutput>> outputs_;
  std::vector<std::byte> initial_;
};

}  // namespace tidemark
