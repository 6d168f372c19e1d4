// When a source partition handed its rows to the engine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tidemark/runtime/parker.h"

namespace tidemark {

// One entry for each batch handed over, in a ring that keeps the last kEntries of them. Written by
// the partition's thread; any thread may ask. Never allocates after construction, never blocks.
class HandOverLog {
 public:
  static constexpr std::size_t kEntries = std::size_t{1} << 17;  // 2 MiB

  HandOverLog();

  // Of the whole stream's rows, all of this partition's below `end` are handed over by `now`.
  // `end` rises from call to call. Owner only; two stores.
  void note(std::uint64_t end, Clock::time_point now);

  // When row `row`, which is one of this partition's, was handed over; nothing if that is not known
  // yet, or no more. Whoever has got something that followed the row through a channel knows it. A
  // binary search.
  std::optional<Clock::time_point> handed_over(std::uint64_t row) const;

  // How many batches were handed over.
  std::uint64_t batches() const { return count_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::atomic<std::uint64_t> end{0};
    std::atomic<Clock::rep> at{0};
  };
  const Entry& entry(std::uint64_t number) const { return entries_[number % kEntries]; }

  // Entries below count_ are complete. Entry `count_` may be half written over the one kEntries
  // before it. Its words are stored with release order after count_, so a reader that sees one of
  // them by an acquire load also sees that count_, and takes the old entry for lost.
  std::unique_ptr<Entry[]> entries_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace tidemark
