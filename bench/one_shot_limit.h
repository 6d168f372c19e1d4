// The limit of a job whose keys come once: the shortest hand-written loop that forgets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {

// Sliding count and sum per int64 key over rows in order of time: a hash table of the keys in the
// window, from which a key is erased with its last slide (Knuth 1973, section 6.4, algorithm R).
class OneShotLimit {
 public:
  explicit OneShotLimit(std::size_t slides_per_window) : slides_per_window_(slides_per_window) {
    table_.resize(1024);
  }

  // A row of the slide that is open.
  void add(std::int64_t key, std::int64_t value) {
    Cell& cell = table_[place_of(key)];
    if (cell.slides == 0) {
      cell = {.key = key};
      ++keys_;
    }
    if (cell.slides == 0 || cell.slide != slide_) {
      ++cell.slides;
      cell.slide = slide_;
      cell.entry = static_cast<std::uint32_t>(open_.size());
      open_.push_back({key});
    }
    ++cell.count;
    cell.sum += value;
    ++open_[cell.entry].count;
    open_[cell.entry].sum += value;
    if (keys_ * 2 > table_.size()) grow();
  }

  // A window ends with the slide that is open, in ms.
  void end_slide(std::int64_t end) {
    for (const Cell& cell : table_) {
      if (cell.slides > 0) checksum_ += checksum_cell_mix(end, cell.key, cell.count, cell.sum);
    }
    slides_.push_back(std::move(open_));
    open_ = std::move(spare_);
    open_.clear();
    ++slide_;
    if (slides_.size() < slides_per_window_) return;
    for (const Entry& entry : slides_.front()) take_out(entry);
    spare_ = std::move(slides_.front());
    slides_.pop_front();
  }

  std::uint64_t checksum() const { return checksum_; }

 private:
  struct Entry {
    std::int64_t key;
    std::int64_t count = 0;
    std::int64_t sum = 0;
  };
  struct Cell {
    std::int64_t key = 0;
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::uint32_t slides = 0;  // that hold the key; 0: the cell is free
    std::uint32_t slide = 0;   // the last of them, and where its entry is
    std::uint32_t entry = 0;
  };

  std::size_t home_of(std::int64_t key) const {
    const std::uint64_t bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
    return (bits ^ bits >> 32) & (table_.size() - 1);
  }

  // Where the key is, or would be.
  std::size_t place_of(std::int64_t key) const {
    std::size_t place = home_of(key);
    while (table_[place].slides > 0 && table_[place].key != key) place = next(place);
    return place;
  }
  std::size_t next(std::size_t place) const { return (place + 1) & (table_.size() - 1); }

  void take_out(const Entry& entry) {
    const std::size_t place = place_of(entry.key);
    Cell& cell = table_[place];
    cell.count -= entry.count;
    cell.sum -= entry.sum;
    if (--cell.slides == 0) close_gap(place);
  }

  void close_gap(std::size_t gap) {
    --keys_;
    for (std::size_t place = next(gap); table_[place].slides > 0; place = next(place)) {
      const std::size_t from_home = (place - home_of(table_[place].key)) & (table_.size() - 1);
      if (from_home < ((place - gap) & (table_.size() - 1))) continue;
      table_[gap] = table_[place];
      gap = place;
    }
    table_[gap].slides = 0;
  }

  void grow() {
    std::vector<Cell> cells(table_.size() * 2);
    cells.swap(table_);
    for (const Cell& cell : cells) {
      if (cell.slides > 0) table_[place_of(cell.key)] = cell;
    }
  }

  std::size_t slides_per_window_;
  std::vector<Cell> table_;
  std::size_t keys_ = 0;
  std::uint32_t slide_ = 0;
  std::vector<Entry> open_;
  std::vector<Entry> spare_;
  std::deque<std::vector<Entry>> slides_;
  std::uint64_t checksum_ = 0;
};

}  // namespace tidemark::bench
