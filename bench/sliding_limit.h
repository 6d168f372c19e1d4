// The limit of the headline job: the shortest hand-written loop that does it, on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {

// Sliding count, sum and max per int64 key over rows in order of time, whose types, window and
// aggregates are all known to the compiler: hash probe, pane update, slide by two stacks, and every
// result into a checksum. No batches, queues, watermarks, disorder, NULLs or overflow checks.
// Without `kWithMax` the results are count and sum alone.
template <bool kWithMax>
class BasicSlidingLimit {
 public:
  // All times in ms; slide divides size.
  BasicSlidingLimit(std::int64_t size, std::int64_t slide, std::int64_t start)
      : slide_(slide), panes_per_window_(static_cast<std::size_t>(size / slide)), edge_(start) {
    rehash(1024);
  }

  void add(std::int64_t time, std::int64_t key, std::int64_t amount) {
    while (time >= edge_) slide_window();
    const std::uint32_t slot = slot_of(key);
    std::uint32_t entry = index_[slot];
    if (entry >= open_.size() || open_[entry].slot != slot) {
      entry = index_[slot] = static_cast<std::uint32_t>(open_.size());
      open_.push_back({slot, State{}});
    }
    State& state = open_[entry].state;
    ++state.count;
    state.sum += amount;
    state.max = std::max(state.max, amount);
  }

  // Fires the windows that still hold rows.
  void finish() {
    do slide_window();
    while (live_entries_ > 0);
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
  struct Running {
    State front;
    State back;
    std::uint32_t live = 0;
  };

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
    running_.emplace_back();
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

  void slide_window() {
    for (const Entry& entry : open_) {
      running_[entry.slot].back.merge(entry.state);
      ++running_[entry.slot].live;
    }
    live_entries_ += open_.size();
    panes_.push_back(std::move(open_));
    open_ = std::move(spare_);
    open_.clear();
    emit();
    if (panes_.size() == panes_per_window_) expire();
    edge_ += slide_;
  }

  void emit() {
    for (std::size_t slot = 0; slot < running_.size(); ++slot) {
      const Running& running = running_[slot];
      if (running.live == 0) continue;
      State total = running.front;
      total.merge(running.back);
      if constexpr (kWithMax) {
        checksum_ += checksum_cell_mix(edge_, keys_[slot], total.count, total.sum, total.max);
      } else {
        checksum_ += checksum_cell_mix(edge_, keys_[slot], total.count, total.sum);
      }
      ++results_;
    }
  }

  void expire() {
    if (front_panes_ == 0) flip();
    for (const Entry& entry : panes_.front()) {
      running_[entry.slot].front = entry.state;
      --running_[entry.slot].live;
    }
    live_entries_ -= panes_.front().size();
    spare_ = std::move(panes_.front());
    panes_.pop_front();
    --front_panes_;
  }

  void flip() {
    for (Running& running : running_) running.front = running.back = State{};
    for (auto pane = panes_.rbegin(); pane != panes_.rend(); ++pane) {
      for (Entry& entry : *pane) {
        const State before = running_[entry.slot].front;
        running_[entry.slot].front.merge(entry.state);
        entry.state = before;
      }
    }
    front_panes_ = panes_.size();
  }

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::int64_t slide_;
  std::size_t panes_per_window_;
  std::int64_t edge_;  // end of the open pane
  std::vector<std::uint32_t> table_;
  std::vector<std::int64_t> keys_;
  std::vector<Running> running_;
  std::vector<std::uint32_t> index_;
  std::vector<Entry> open_;
  std::vector<Entry> spare_;
  std::deque<std::vector<Entry>> panes_;
  std::size_t front_panes_ = 0;
  std::size_t live_entries_ = 0;
  std::uint64_t checksum_ = 0;
  std::uint64_t results_ = 0;
};

using SlidingLimit = BasicSlidingLimit<true>;

// Of all windows of a stream, to the last one that holds rows.
inline std::uint64_t expected_checksum(const BenchStreamConfig& config, std::int64_t size,
                                       std::int64_t slide) {
  const BenchStream stream(config);
  SlidingLimit limit(size, slide, config.start + slide);
  EventTime time = 0;
  std::int64_t key = 0;
  std::int64_t amount = 0;
  for (std::uint64_t row = 0; row < config.rows; ++row) {
    stream.fill(row, 1, 1, &time, &key, &amount);
    limit.add(time, key, amount);
  }
  limit.finish();
  return limit.checksum();
}

}  // namespace tidemark::bench
