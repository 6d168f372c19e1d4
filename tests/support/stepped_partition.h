// A source partition that plays the steps of a worked example.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "support/case_table.h"
#include "tidemark/operators/source.h"

namespace tidemark::test_support {

// Hands out rows up to the next FiredStep, and goes on only when exactly that many results have
// come out and no more of them follow for a moment. Throws std::runtime_error when there are too
// many, or too few after several seconds.
class SteppedPartition : public SourcePartition {
 public:
  // `results_so_far` may be called from the partition's thread at any time.
  SteppedPartition(std::vector<CaseStep> steps, std::function<std::size_t()> results_so_far);

  PollStatus poll(Batch& batch) override;
  std::optional<Clock::time_point> ready_at() const override { return ready_at_; }

 private:
  bool has_fired(std::size_t expected);

  std::vector<CaseStep> steps_;
  std::function<std::size_t()> results_so_far_;
  std::size_t next_ = 0;
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Clock::time_point> ready_at_;
};

}  // namespace tidemark::test_support
