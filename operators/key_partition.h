// Sends every row to the consumer that owns its key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/channel.h"

namespace tidemark {

// One channel to each consumer. Rows are given to it segment by segment; whenever a channel has no
// free batch it stops, and goes on when called again. Nothing is dropped and order holds per
// channel. Not thread-safe.
class KeyPartition {
 public:
  explicit KeyPartition(const std::vector<Channel*>& channels);

  // Takes rows [begin, end) of `rows` (hashes filled), which must stay as they are until push() has
  // returned true. A whole batch for a single consumer may be swapped out of `rows` instead.
  void route(Batch& rows, std::size_t begin, std::size_t end);
  // The same for the rows named by `which`, rising.
  void route(Batch& rows, std::span<const std::uint16_t> which);
  // Moves routed rows on; true when all are in batches.
  bool push();

  // Sends partly filled batches on, or empty ones if `header` says something; push() is true
  // before. False: some channel had no free batch; call again with the same header.
  bool flush(const BatchHeader& header);

  // Whether some batch holds rows that have not left.
  bool holds_rows() const;

  std::uint64_t batches_sent() const { return batches_sent_; }

 private:
  struct Lane {
    Channel* channel;
    Batch* batch = nullptr;
    std::vector<std::uint16_t> selected;
    std::size_t taken = 0;
    bool flushed = false;
  };

  // Deals rows row_of(0), row_of(1), ... row_of(n - 1) out to the lanes by their hashes.
  template <typename RowOf>
  void deal(std::size_t n, const RowOf& row_of);
  bool push_whole();
  bool push_selected(Lane& lane);
  // The lane's batch, with room for a row of rows_, acquired if need be; nullptr if none is free.
  Batch* batch_of(Lane& lane);
  // Whether the lane has a batch now.
  static bool acquire(Lane& lane);
  void send(Lane& lane);

  std::vector<Lane> lanes_;
  std::vector<std::uint16_t> spare_;
  Batch* rows_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  // With one lane: routed rows that are not all that there are.
  bool picked_ = false;
  std::uint64_t batches_sent_ = 0;
};

}  // namespace tidemark
