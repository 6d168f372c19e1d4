// The limit of many windows over one stream: the shortest hand-written loop that does it, on one
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {

// Count, sum and max per int64 key in windows of many sizes and slides, over rows in order of time:
// hash probe, one update of the open slice, a binary tree over the slices that are full, and every
// result into a checksum. No batches, queues, watermarks, disorder, NULLs or overflow checks.
class ManyWindowsLimit {
 public:
  struct Window {
    std::int64_t size;
    std::int64_t slide;
  };

  ManyWindowsLimit(std::vector<Window> windows, std::int64_t start) : windows_(std::move(windows)) {
    rehash(1024);
    slice_begin_ = start;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const Window& window = windows_[i];
      longest_ = std::max(longest_, window.size);
      starts_.push({start - start % window.slide + window.slide, i});
      const std::int64_t since = start - window.size;
      ends_.push({since - since % window.slide + window.slide + window.size, i});
    }
  }

  void add(std::int64_t time, std::int64_t key, std::int64_t amount) {
    while (time >= next_edge()) cross_edge();
    const std::uint32_t slot = slot_of(key);
    std::uint32_t entry = index_[slot];
    if (entry >= open_.size() || open_[entry].slot != slot) {
      entry = index_[slot] = static_cast<std::uint32_t>(open_.size());
      open_.push_back({slot, State{}});
    }
    open_[entry].state.merge({1, amount, amount});
  }

  // Fires the windows that still hold rows.
  void finish() {
    const std::int64_t last = slice_begin_;
    while (next_edge() <= last + longest_ + 1) cross_edge();
  }

  std::uint64_t checksum() const { return checksum_; }
  std::uint64_t results() const { return results_; }

 private:
  struct State {
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t max = INT64_MIN;

    void merge(const State& other) {
      count += other.count;
      sum += other.sum;
      max = std::max(max, other.max);
    }
  };
  struct Entry {
    std::uint32_t slot;
    State state;
  };
  using Entries = std::vector<Entry>;
  using Edge = std::pair<std::int64_t, std::size_t>;
  using Edges = std::priority_queue<Edge, std::vector<Edge>, std::greater<>>;

  static std::uint64_t hash(std::int64_t key) {
    std::uint64_t bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
    return bits ^ bits >> 32;
  }

  std::uint32_t slot_of(std::int64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = hash(key) & mask;
    for (; table_[place] != kFree; place = (place + 1) & mask) {
      if (keys_[table_[place]] == key) return table_[place];
    }
    if (keys_.size() * 2 >= table_.size()) {
      rehash(table_.size() * 2);
      return slot_of(key);
    }
    keys_.push_back(key);
    index_.push_back(0);
    return table_[place] = static_cast<std::uint32_t>(keys_.size() - 1);
  }

  void rehash(std::size_t size) {
    table_.assign(size, kFree);
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) {
      std::size_t place = hash(keys_[slot]) & (size - 1);
      while (table_[place] != kFree) place = (place + 1) & (size - 1);
      table_[place] = slot;
    }
  }

  std::int64_t next_edge() const { return std::min(starts_.top().first, ends_.top().first); }

  void cross_edge() {
    const std::int64_t edge = next_edge();
    if (!open_.empty()) {
      begins_.push_back(slice_begin_);
      push(0, std::move(open_));
      open_ = Entries();
    }
    slice_begin_ = edge;
    while (starts_.top().first == edge) go_on(starts_);
    while (ends_.top().first == edge) {
      emit(edge, edge - windows_[ends_.top().second].size);
      go_on(ends_);
    }
    for (; dropped_ < begins_.size() && begins_[dropped_] <= edge - longest_; ++dropped_) drop();
  }

  void go_on(Edges& edges) {
    const auto [time, window] = edges.top();
    edges.pop();
    edges.push({time + windows_[window].slide, window});
  }

  // Node i of level l is the sum of slices [i << l, (i + 1) << l).
  void push(std::size_t level, Entries entries) {
    if (tree_.size() == level) tree_.emplace_back();
    tree_[level].push_back(std::move(entries));
    const std::size_t n = tree_[level].size();
    if (n % 2 != 0) return;
    Entries both;
    add(tree_[level][n - 2], both);
    add(tree_[level][n - 1], both);
    push(level + 1, std::move(both));
  }

  void drop() {
    for (std::size_t level = 0; level < tree_.size(); ++level) {
      if ((dropped_ + 1) % (std::size_t{1} << level) != 0) return;
      if (dropped_ >> level < tree_[level].size()) tree_[level][dropped_ >> level] = Entries();
    }
  }

  void add(const Entries& from, Entries& into) {
    for (const Entry& entry : from) {
      std::uint32_t at = index_[entry.slot];
      if (at >= into.size() || into[at].slot != entry.slot) {
        index_[entry.slot] = static_cast<std::uint32_t>(into.size());
        into.push_back(entry);
      } else {
        into[at].state.merge(entry.state);
      }
    }
  }

  void emit(std::int64_t end, std::int64_t start) {
    sum_.clear();
    std::size_t from = static_cast<std::size_t>(
        std::lower_bound(begins_.begin(), begins_.end(), start) - begins_.begin());
    while (from < begins_.size()) {
      std::size_t level = 0;
      while (from % (std::size_t{2} << level) == 0 &&
             from + (std::size_t{2} << level) <= begins_.size()) {
        ++level;
      }
      add(tree_[level][from >> level], sum_);
      from += std::size_t{1} << level;
    }
    for (const Entry& entry : sum_) {
      checksum_ += checksum_cell_mix(end, keys_[entry.slot], entry.state.count, entry.state.sum,
                                     entry.state.max);
    }
    results_ += sum_.size();
  }

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::vector<Window> windows_;
  std::int64_t longest_ = 0;
  Edges starts_;
  Edges ends_;
  std::vector<std::uint32_t> table_;
  std::vector<std::int64_t> keys_;
  std::vector<std::uint32_t> index_;
  Entries open_;
  std::int64_t slice_begin_ = 0;
  std::vector<std::int64_t> begins_;
  std::vector<std::vector<Entries>> tree_;
  std::size_t dropped_ = 0;
  Entries sum_;
  std::uint64_t checksum_ = 0;
  std::uint64_t results_ = 0;
};

}  // namespace tidemark::bench
