// Sealed slices of several windows, and what neighbouring ones add up to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/entry_blocks.h"
#include "tidemark/operators/live_slots.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/slice_edges.h"

namespace tidemark {

// Base intervals ("B-Int", Arasu and Widom, "Resource sharing in continuous sliding-window
// aggregates", 2004): time is cut into intervals of 2^l ms at multiples of 2^l, for every l, and an
// interval that slices begin in has, once a window asks for it, what they add up to. Any stretch of
// time is made of few of them: at most 2 log2(slices) hold anything, for slices of like length.
// Kept is a binary tree with a node where the slices of two halves meet (a crit-bit tree), so what
// holds no rows takes no room, and an interval with one slice in it is that slice.
//
// An interval whose slices have few keys in common is left as its halves: its sum would take their
// room again and save few merges. Only where the order of merges shows, in sums of doubles, does
// every interval get one: what is added first then depends on nothing but times, and is the same on
// any number of cores. Times are local ones (see Slicing). Not thread-safe.
class BaseIntervals {
 public:
  // `any_grouping`: states come out the same, bit for bit, whichever are merged first.
  BaseIntervals(const AggregateLayout& layout, bool any_grouping,
                std::pmr::memory_resource& memory);
  ~BaseIntervals();
  BaseIntervals(const BaseIntervals&) = delete;
  BaseIntervals& operator=(const BaseIntervals&) = delete;

  bool empty() const { return root_ == kNone; }

  // Takes in the entries of slice [begin, end), which lies behind all others.
  void append(std::int64_t begin, std::int64_t end, const Pane& pane);

  // The slice that holds `time`, if it has rows.
  std::optional<SliceEdges::Slice> slice_at(std::int64_t time) const;

  // For more rows of a slice. The one that holds `time`, or nullptr: add an empty one then, which
  // may lie anywhere. Panes stay with their slices; what has been added up over them is forgotten.
  // Whoever adds entries to a pane says how many.
  Pane* reopen(std::int64_t time, std::size_t slot_count);
  Pane* insert(std::int64_t begin, std::int64_t end);
  void note_added(std::size_t entries) { slice_entries_ += entries; }

  // The first slice that begins at `time` or later.
  std::optional<std::int64_t> first_from(std::int64_t time) const;

  // Forgets slices that begin before `time`.
  void drop_before(std::int64_t time);

  // Merges all slices that begin in [from, to), in the order of time, into `sum`.
  void add_up(std::int64_t from, std::int64_t to, Pane& sum, std::size_t slot_count);

  // Whether an interval is left as its halves, if these have `merged` entries and it would have
  // `entries`: more than 3/4 of them, unless they are few, since going from node to node then costs
  // more than they do. The next kUntried intervals of its length are left so without a try.
  template <typename Number>
  static bool leaves_halves(Number merged, Number entries) {
    return merged > Number{kFewEntries} && entries * Number{4} > merged * Number{3};
  }
  static constexpr std::uint8_t kUntried = 7;

  // Of slices; and together with those of intervals that are kept.
  std::size_t slice_entries() const { return slice_entries_; }
  std::size_t entries() const { return slice_entries_ + sum_entries_; }
  // Single entries merged or copied so far.
  std::uint64_t merges() const { return merges_; }

  void mark_live(LiveSlots& live) const;
  // Adds the number of entries of each slot, entries() in all, to counts[slot].
  void count_entries(std::span<std::uint64_t> counts) const;
  void renumber(const SlotMap& map);

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = ~NodeId{0};
  static constexpr int kLeaf = -1;
  static constexpr std::size_t kFewEntries = 64;

  // A slice, or an interval of 2^(bit + 1) ms whose halves both hold slices.
  struct Node {
    std::uint64_t key = 0;  // the slice's begin, with the order of signed numbers; or any inside
    std::int64_t end = 0;   // of a slice
    int bit = kLeaf;
    NodeId children[2] = {kNone, kNone};
    bool split = false;      // left as its halves
    EntryBlocks::Block sum;  // empty: not added up, yet or ever
    Pane* pane = nullptr;    // of a slice that was opened again, instead of `sum`

    std::uint64_t low() const { return bit == kLeaf ? key : key & ~mask(); }
    std::uint64_t high() const { return bit == kLeaf ? key : key | mask(); }
    std::uint64_t mask() const { return (std::uint64_t{2} << bit) - 1; }
  };

  static std::uint64_t key_of(std::int64_t time) {
    return static_cast<std::uint64_t>(time) ^ std::uint64_t{1} << 63;
  }
  static std::int64_t time_of(std::uint64_t key) {
    return static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63);
  }
  NodeId child_for(const Node& node, std::uint64_t key) const {
    return node.children[key >> node.bit & 1U];
  }

  NodeId new_node();
  void free_node(NodeId id);
  void forget_sum(Node& node);
  NodeId insert_leaf(std::uint64_t key, std::int64_t end);
  NodeId floor_leaf(std::uint64_t key) const;
  void forget_sums_above(std::uint64_t key);
  void drop_all(NodeId id);
  NodeId drop(NodeId id, std::uint64_t before);
  void find_parts(NodeId id, std::uint64_t from, std::uint64_t to);
  void take_part(NodeId id);
  void build(NodeId id);
  bool is_worth_a_try(int bit);
  std::size_t merge_halves(NodeId id, Pane& sum);
  EntryBlocks::Block copy_in_order(const Pane& sum);
  std::size_t merge_node(const Node& node, Pane& sum);
  void merge_entries(const std::byte* entries, std::size_t n, Pane& sum);

  const AggregateLayout& layout_;
  bool any_grouping_;
  EntryBlocks blocks_;
  PanePool panes_;
  std::pmr::vector<Node> nodes_;
  std::pmr::vector<NodeId> free_;
  NodeId root_ = kNone;
  std::vector<NodeId> parts_;         // of the stretch of time that is added up
  std::vector<std::uint32_t> order_;  // see copy_in_order()
  // By bit: intervals left as their halves without a try, as the last that was tried came out so.
  std::array<std::uint8_t, 64> untried_{};
  std::size_t slot_count_ = 0;
  // Of merges into panes that chunks of rows, which have low stamps, are added to as well.
  std::uint64_t stamp_ = std::uint64_t{1} << 63;
  std::size_t slice_entries_ = 0;
  std::size_t sum_entries_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
