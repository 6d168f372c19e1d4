// What measuring itself costs.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemark/runtime/parker.h"

namespace tidemark {

// Durations of every eighth call, in a ring that is allocated once. What is above the 99th
// percentile is left out of their mean: there another process had the CPU.
class RecordingCost {
 public:
  RecordingCost();

  // Whether the next call is one to be timed.
  bool is_sample() const { return calls_ % kStep == 0; }
  // After each call: it recorded `results`; `took` if it was timed.
  void count(std::uint64_t results) {
    ++calls_;
    results_ += results;
  }
  void add_sample(Clock::duration took);
  void merge(const RecordingCost& other);

  std::uint64_t results() const { return results_; }
  // In seconds, of all calls, timed or not.
  double total_seconds() const;

 private:
  static constexpr std::uint64_t kStep = 8;
  static constexpr std::size_t kSamples = 4096;

  std::uint64_t calls_ = 0;
  std::uint64_t results_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<Clock::duration> samples_;
};

// How long HandOverLog::note takes, in seconds; measured by a few thousand calls.
double hand_over_note_seconds();

}  // namespace tidemark
