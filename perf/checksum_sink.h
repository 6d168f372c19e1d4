// Consumes results on the core that made them, and keeps one number that tells them apart.
#pragma once

#include <cstdint>

#include "tidemark/operators/sink.h"

namespace tidemark {

// Sums checksum_cell_mix over all results: columns window_start, window_end, one int64 key, and any
// number of aggregates. The sums of all workers, added with wrap-around, are the same for every
// number of cores, batch size and strategy. A double goes in with its bits, NULL as a number that
// depends on the column. A few nanoseconds a result.
class ChecksumSink final : public ResultSink {
 public:
  void accept(const Batch& results) override;

  std::uint64_t checksum() const { return checksum_; }
  std::uint64_t results() const { return results_; }

 private:
  std::uint64_t checksum_ = 0;
  std::uint64_t results_ = 0;
};

}  // namespace tidemark
