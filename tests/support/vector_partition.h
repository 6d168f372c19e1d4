// A source partition over rows in memory, with an irregular pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/source.h"

namespace tidemark::test_support {

struct Pace {
  std::uint64_t seed = 1;
  // A poll appends 1 to this many rows.
  std::size_t longest_run = 1024;
  // Share of polls that answer kPending, in [0, 1).
  double pending_share = 0;
};

// Appends runs of random length, and now and then says that nothing is there yet: either with a
// time to ask again, or by unparking the driver itself.
class VectorPartition : public SourcePartition {
 public:
  VectorPartition(std::vector<Row> rows, Pace pace);

  PollStatus poll(Batch& batch) override;
  void start(Parker& driver) override { driver_ = &driver; }
  std::optional<Clock::time_point> ready_at() const override { return ready_at_; }

 private:
  PollStatus pause();

  std::vector<Row> rows_;
  Pace pace_;
  std::mt19937_64 random_;
  std::size_t next_ = 0;
  Parker* driver_ = nullptr;
  std::optional<Clock::time_point> ready_at_;
};

}  // namespace tidemark::test_support
