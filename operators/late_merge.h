// Puts the fired windows of a late row together from the slices that they share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/kept_slices.h"
#include "tidemark/operators/late_firings.h"
#include "tidemark/operators/late_rows.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// All windows that a late row changes hold its slice, and with it a common stretch of slices; each
// has some more in front of that and some behind it. Going from the last window to the first, what
// is in front grows and is merged as it goes; of what is behind all prefixes are merged once. (The
// two stacks of a queue that is read from its middle.) So a late row costs, beside what its windows
// say, a merge or two for each entry that is found for its key, however many windows there are. Not
// thread-safe.
class LateMerge {
 public:
  LateMerge(const Slicing& slicing, const AggregateLayout& layout,
            std::pmr::memory_resource& memory);

  // Fires the windows of `row`, whose entry is `content`. `entries` is what its key has in all of
  // them, oldest first, without this row: in the range that follows.
  KeptSlices::Range range_of(const LateRows::Row& row) const {
    return {slicing_.first_slice(row.first_window), slicing_.last_slice(row.last_window),
            slicing_.first_slice(row.last_window), slicing_.last_slice(row.first_window)};
  }
  void fire(const LateRows::Row& row, const std::byte* content,
            std::span<const KeptSlices::Found> entries, LateFirings& firings);

  std::uint64_t merges() const { return merges_; }
  void release_free();

 private:
  static constexpr std::size_t kChunk = 64;  // windows

  // Entries side by side.
  class Entries {
   public:
    Entries(const AggregateLayout& layout, std::pmr::memory_resource& memory)
        : layout_(layout), bytes_(&memory) {}
    void resize(std::size_t n);
    std::byte* operator[](std::size_t i) { return bytes_.data() + i * layout_.entry_size(); }
    void assign(std::size_t i, const std::byte* entry);
    void release_free();

   private:
    const AggregateLayout& layout_;
    std::pmr::vector<std::byte> bytes_;
  };

  void begin(const std::byte* content, std::span<const KeptSlices::Found> common);
  void merge_behind(std::span<const KeptSlices::Found> behind);
  // Takes one more slice's entry in front of what is there.
  void take_in_front(const std::byte* entry);
  void put_aside(std::int64_t window, bool had_rows, const std::byte* rest);
  void fire_waiting(LateFirings& firings);
  void merge(std::byte* into, const std::byte* from) {
    layout_.merge(&into, from, 1);
    ++merges_;
  }

  const Slicing& slicing_;
  const AggregateLayout& layout_;
  std::uint64_t merges_ = 0;

  // The common stretch and what is in front of it, without the row and with it, and one for
  // exchanges.
  Entries stretch_;
  Entries behind_;  // prefixes of what lies behind; the first is of nothing
  // Of windows that wait to be put together.
  Entries before_;
  Entries after_;
  Entries rest_;
  std::array<std::int64_t, kChunk> windows_;
  std::array<bool, kChunk> had_rows_;
  std::size_t waiting_ = 0;
};

}  // namespace tidemark
