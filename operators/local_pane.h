// The partial states of one open slice of a source task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// A batch that can be sent as it is: keys, hashes, a time in the slice, and states by entry, in
// order of their first rows. Keys are known by slots of a table that all panes of the task share;
// an index over these finds entries, and needs no clearing: its cells are numbered on from one use
// of the pane to the next. Not thread-safe.
class LocalPane {
 public:
  // For slots below `slots`. Rows come at most kRun at a time.
  static constexpr std::size_t kRun = 256;
  LocalPane(const AggregateLayout& layout, const Schema& keys, std::size_t slots);

  // Starts afresh, for a slice; `row` is the number of its first row.
  void open(std::int64_t slice, std::uint64_t row);
  std::int64_t slice() const { return slice_; }
  std::uint64_t opened_at() const { return opened_at_; }

  // Rows begin + offsets[i] of a batch.
  struct Rows {
    const Batch& batch;
    std::size_t begin;
    std::span<const std::uint16_t> offsets;
  };
  // Entries of rows whose keys have `slots`, with `valid` bits set; an entry's header counts its
  // rows in the place of a slot. Entries stay where they are.
  void find_or_add(const Rows& rows, std::span<const std::uint32_t> slots, std::uint32_t valid,
                   std::byte** entries);

  std::size_t size() const { return batch_.size(); }
  Batch& batch() { return batch_; }

 private:
  void add_new(const Batch& rows, std::size_t size);

  const AggregateLayout& layout_;
  std::int64_t slice_ = 0;
  std::uint64_t opened_at_ = 0;
  Batch batch_;
  std::vector<std::uint32_t> index_;
  // What entry 0 is in the index; cells outside [index_base_, index_base_ + size()) are stale.
  std::uint32_t index_base_ = 1;
  // Valid bits that all entries have.
  std::uint32_t common_valid_ = 0;
  std::vector<std::uint16_t> first_rows_;  // of the entries that are being added
};

}  // namespace tidemark
