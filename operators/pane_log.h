// The entries of sealed slices, in order, packed: appended when a slice is sealed, dropped from the
// front when it expires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/recent_peak.h"

namespace tidemark {

// A queue of fixed-size entries in recycled chunks; positions count entries from the start of time
// and never change. Not thread-safe.
class PaneLog {
 public:
  PaneLog(const AggregateLayout& layout, std::pmr::memory_resource& memory);
  ~PaneLog();
  PaneLog(const PaneLog&) = delete;
  PaneLog& operator=(const PaneLog&) = delete;

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::size_t size() const { return end_ - begin_; }

  // Copies `n` entries to the end.
  void append(const std::byte* entries, std::size_t n);
  // Forgets entries before `position`. Their memory is kept as far as the log has lately needed it.
  void drop_before(std::uint64_t position);
  // Lets go of the memory that is kept, and of all if there are no entries.
  void release_free();

  // The entry at a position in [begin(), end()).
  const std::byte* entry(std::uint64_t position) const {
    return chunks_[position / chunk_entries_ - first_chunk_] +
           position % chunk_entries_ * entry_size_;
  }

  // Calls visit(std::byte* entries, std::size_t n) for contiguous runs that make up [from, to).
  template <typename Visit>
  void visit(std::uint64_t from, std::uint64_t to, const Visit& visit_run) {
    while (from < to) {
      const std::size_t in_chunk = from % chunk_entries_;
      const std::uint64_t left_in_chunk = chunk_entries_ - in_chunk;
      const std::size_t n = to - from < left_in_chunk ? to - from : left_in_chunk;
      std::byte* chunk = chunks_[from / chunk_entries_ - first_chunk_];
      visit_run(chunk + in_chunk * entry_size_, n);
      from += n;
    }
  }

 private:
  static constexpr std::size_t kRecent = 16;  // slices that were dropped

  std::byte* take_chunk();
  void free_all_but(std::size_t kept);

  const AggregateLayout& layout_;
  std::size_t entry_size_;
  std::size_t chunk_entries_;
  std::pmr::memory_resource& memory_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t first_chunk_ = 0;
  std::pmr::unsynchronized_pool_resource nodes_;  // of the deque, used again
  std::pmr::deque<std::byte*> chunks_{&nodes_};
  std::vector<std::byte*> free_;
  RecentPeak chunks_in_use_{kRecent};
};

}  // namespace tidemark
