#include "tidemark/operators/base_intervals.h"

#include <algorithm>
#include <array>
#include <bit>

#include "tidemark/operators/entry_counts.h"

namespace tidemark {

namespace {
constexpr std::size_t kIntervalMergeChunk = 256;
// Sums with at least one slot in so many are put in order.
constexpr std::size_t kOrderedShare = 4;
}  // namespace

BaseIntervals::BaseIntervals(const AggregateLayout& layout, bool any_grouping,
                             std::pmr::memory_resource& memory)
    : layout_(layout),
      any_grouping_(any_grouping),
      blocks_(layout.entry_size(), memory),
      panes_(layout, memory),
      nodes_(&memory),
      free_(&memory) {}

BaseIntervals::~BaseIntervals() {
  if (root_ != kNone) drop_all(root_);
}

BaseIntervals::NodeId BaseIntervals::new_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  const NodeId id = free_.back();
  free_.pop_back();
  nodes_[id] = Node{};
  return id;
}

void BaseIntervals::free_node(NodeId id) {
  Node& node = nodes_[id];
  if (node.bit == kLeaf) {
    slice_entries_ -= node.pane == nullptr ? node.sum.size : node.pane->size();
    blocks_.give_back(node.sum);
    if (node.pane != nullptr) panes_.give_back(node.pane);
  } else {
    forget_sum(node);
  }
  node.pane = nullptr;
  free_.push_back(id);
}

void BaseIntervals::forget_sum(Node& node) {
  node.split = false;
  sum_entries_ -= node.sum.size;
  blocks_.give_back(node.sum);
}

BaseIntervals::NodeId BaseIntervals::insert_leaf(std::uint64_t key, std::int64_t end) {
  const NodeId leaf = new_node();
  nodes_[leaf].key = key;
  nodes_[leaf].end = end;
  if (root_ == kNone) return root_ = leaf;
  NodeId nearest = root_;
  while (nodes_[nearest].bit != kLeaf) nearest = child_for(nodes_[nearest], key);
  const int bit = static_cast<int>(std::bit_width(nodes_[nearest].key ^ key)) - 1;
  NodeId inner = new_node();
  NodeId* place = &root_;
  while (nodes_[*place].bit > bit) {
    Node& node = nodes_[*place];
    place = &node.children[key >> node.bit & 1U];
  }
  Node& node = nodes_[inner];
  node.key = key;
  node.bit = bit;
  node.children[key >> bit & 1U] = leaf;
  node.children[1 - (key >> bit & 1U)] = *place;
  *place = inner;
  return leaf;
}

void BaseIntervals::append(std::int64_t begin, std::int64_t end, const Pane& pane) {
  const NodeId leaf = insert_leaf(key_of(begin), end);
  nodes_[leaf].sum = blocks_.copy(pane.entries(), pane.size());
  slice_entries_ += pane.size();
}

// The last leaf at or before `key`.
BaseIntervals::NodeId BaseIntervals::floor_leaf(std::uint64_t key) const {
  NodeId before = kNone;  // a subtree that lies wholly before
  NodeId at = root_;
  while (at != kNone) {
    const Node& node = nodes_[at];
    if (node.high() <= key) {
      before = at;
      break;
    }
    if (node.bit == kLeaf || node.low() > key) break;
    if ((key >> node.bit & 1U) != 0) before = node.children[0];
    at = child_for(node, key);
  }
  while (before != kNone && nodes_[before].bit != kLeaf) before = nodes_[before].children[1];
  return before;
}

std::optional<SliceEdges::Slice> BaseIntervals::slice_at(std::int64_t time) const {
  const NodeId leaf = floor_leaf(key_of(time));
  if (leaf == kNone || nodes_[leaf].end <= time) return std::nullopt;
  return SliceEdges::Slice{time_of(nodes_[leaf].key), nodes_[leaf].end};
}

void BaseIntervals::forget_sums_above(std::uint64_t key) {
  for (NodeId at = root_; nodes_[at].bit != kLeaf; at = child_for(nodes_[at], key)) {
    forget_sum(nodes_[at]);
  }
}

Pane* BaseIntervals::reopen(std::int64_t time, std::size_t slot_count) {
  const NodeId leaf = floor_leaf(key_of(time));
  if (leaf == kNone || nodes_[leaf].end <= time) return nullptr;
  forget_sums_above(nodes_[leaf].key);
  Node& node = nodes_[leaf];
  if (node.pane == nullptr) {
    Pane* const pane = panes_.take();
    slot_count_ = slot_count;
    merge_entries(node.sum.entries, node.sum.size, *pane);
    blocks_.give_back(node.sum);
    node.pane = pane;
  }
  return node.pane;
}

Pane* BaseIntervals::insert(std::int64_t begin, std::int64_t end) {
  const NodeId leaf = insert_leaf(key_of(begin), end);
  forget_sums_above(nodes_[leaf].key);
  return nodes_[leaf].pane = panes_.take();
}

std::optional<std::int64_t> BaseIntervals::first_from(std::int64_t time) const {
  const std::uint64_t key = key_of(time);
  NodeId from = kNone;  // a subtree that lies wholly at or behind
  NodeId at = root_;
  while (at != kNone) {
    const Node& node = nodes_[at];
    if (node.low() >= key) {
      from = at;
      break;
    }
    if (node.bit == kLeaf || node.high() < key) break;
    if ((key >> node.bit & 1U) == 0) from = node.children[1];
    at = child_for(node, key);
  }
  if (from == kNone) return std::nullopt;
  while (nodes_[from].bit != kLeaf) from = nodes_[from].children[0];
  return time_of(nodes_[from].key);
}

void BaseIntervals::drop_all(NodeId id) {
  if (nodes_[id].bit != kLeaf) {
    drop_all(nodes_[id].children[0]);
    drop_all(nodes_[id].children[1]);
  }
  free_node(id);
}

void BaseIntervals::drop_before(std::int64_t time) {
  if (root_ != kNone) root_ = drop(root_, key_of(time));
}

// What is left of a subtree.
BaseIntervals::NodeId BaseIntervals::drop(NodeId id, std::uint64_t before) {
  if (nodes_[id].high() < before) {
    drop_all(id);
    return kNone;
  }
  if (nodes_[id].low() >= before || nodes_[id].bit == kLeaf) return id;
  // No window asks for this interval as a whole again.
  forget_sum(nodes_[id]);
  const NodeId left = drop(nodes_[id].children[0], before);
  const NodeId right = drop(nodes_[id].children[1], before);
  nodes_[id].children[0] = left;
  nodes_[id].children[1] = right;
  if (left != kNone && right != kNone) return id;
  free_node(id);
  return left == kNone ? right : left;
}

void BaseIntervals::add_up(std::int64_t from, std::int64_t to, Pane& sum, std::size_t slot_count) {
  slot_count_ = slot_count;
  if (root_ == kNone || from >= to) return;
  parts_.clear();
  find_parts(root_, key_of(from), key_of(to));
  if (any_grouping_) {
    // The largest first: it lies in the order of slots, and so will most of the sum.
    const auto largest = std::max_element(parts_.begin(), parts_.end(), [&](NodeId a, NodeId b) {
      return nodes_[a].sum.size < nodes_[b].sum.size;
    });
    if (largest != parts_.end()) std::swap(*largest, parts_.front());
  }
  for (const NodeId part : parts_) merge_node(nodes_[part], sum);
}

void BaseIntervals::find_parts(NodeId id, std::uint64_t from, std::uint64_t to) {
  if (nodes_[id].high() < from || nodes_[id].low() >= to) return;
  if (nodes_[id].low() >= from && nodes_[id].high() < to) {
    build(id);
    take_part(id);
    return;
  }
  find_parts(nodes_[id].children[0], from, to);
  find_parts(nodes_[id].children[1], from, to);
}

void BaseIntervals::take_part(NodeId id) {
  if (!nodes_[id].split) {
    parts_.push_back(id);
    return;
  }
  take_part(nodes_[id].children[0]);
  take_part(nodes_[id].children[1]);
}

void BaseIntervals::build(NodeId id) {
  Node& node = nodes_[id];
  if (node.bit == kLeaf || node.sum.size != 0 || node.split) return;
  build(node.children[0]);
  build(node.children[1]);
  if (!is_worth_a_try(node.bit)) {
    node.split = true;
    return;
  }
  Pane& pane = *panes_.take();
  const std::size_t merged = merge_halves(id, pane);
  if (any_grouping_ && leaves_halves(merged, pane.size())) {
    node.split = true;
    untried_[static_cast<std::size_t>(node.bit)] = kUntried;
  } else {
    node.sum = copy_in_order(pane);
    sum_entries_ += node.sum.size;
  }
  panes_.give_back(&pane);
}

bool BaseIntervals::is_worth_a_try(int bit) {
  std::uint8_t& untried = untried_[static_cast<std::size_t>(bit)];
  if (untried == 0) return true;
  --untried;
  return false;
}

// Returns how many entries the halves hold together.
std::size_t BaseIntervals::merge_halves(NodeId id, Pane& sum) {
  std::size_t entries = 0;
  for (const NodeId half : nodes_[id].children) {
    const Node& node = nodes_[half];
    entries += node.split ? merge_halves(half, sum) : merge_node(node, sum);
  }
  return entries;
}

// In the order of slots where the sum has a fair share of them, so that merging it goes through
// memory from front to back.
EntryBlocks::Block BaseIntervals::copy_in_order(const Pane& sum) {
  EntryBlocks::Block block = blocks_.copy(sum.entries(), sum.size());
  if (sum.size() * kOrderedShare < slot_count_) return block;
  const std::size_t entry_size = layout_.entry_size();
  order_.assign(slot_count_, 0);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    order_[entry_header(sum.entries() + i * entry_size).slot] = static_cast<std::uint32_t>(i + 1);
  }
  std::byte* to = block.entries;
  for (const std::uint32_t place : order_) {
    if (place == 0) continue;
    copy_entry(to, sum.entries() + (place - 1) * entry_size, entry_size);
    to += entry_size;
  }
  return block;
}

std::size_t BaseIntervals::merge_node(const Node& node, Pane& sum) {
  if (node.pane != nullptr) {
    merge_entries(node.pane->entries(), node.pane->size(), sum);
    return node.pane->size();
  }
  merge_entries(node.sum.entries, node.sum.size, sum);
  return node.sum.size;
}

void BaseIntervals::merge_entries(const std::byte* entries, std::size_t n, Pane& sum) {
  const std::size_t entry_size = layout_.entry_size();
  std::array<std::byte*, kIntervalMergeChunk> into;
  for (std::size_t from = 0; from < n; from += kIntervalMergeChunk) {
    const std::size_t run = std::min(kIntervalMergeChunk, n - from);
    const std::byte* first = entries + from * entry_size;
    sum.prepare(++stamp_, run, slot_count_);
    for (std::size_t i = 0; i < run; ++i) {
      into[i] = sum.find_or_add(entry_header(first + i * entry_size).slot);
    }
    layout_.merge(into.data(), first, run);
  }
  merges_ += n;
}

void BaseIntervals::mark_live(LiveSlots& live) const {
  // What intervals hold, their slices hold too. Nodes that are free hold nothing.
  for (const Node& node : nodes_) {
    if (node.bit != kLeaf) continue;
    if (node.pane != nullptr) node.pane->mark_live(live);
    live.mark_entries(node.sum.entries, node.sum.size, layout_.entry_size());
  }
}

void BaseIntervals::count_entries(std::span<std::uint64_t> counts) const {
  for (const Node& node : nodes_) {
    if (node.pane != nullptr) {
      count_entry_slots(node.pane->entries(), node.pane->size(), layout_.entry_size(), counts);
    }
    count_entry_slots(node.sum.entries, node.sum.size, layout_.entry_size(), counts);
  }
}

void BaseIntervals::renumber(const SlotMap& map) {
  for (const Node& node : nodes_) {
    if (node.pane != nullptr) node.pane->renumber(map);
    map.renumber_entries(node.sum.entries, node.sum.size, layout_.entry_size());
  }
  panes_.release_free();
  blocks_.release_free();
  slot_count_ = map.new_size();
}

}  // namespace tidemark
