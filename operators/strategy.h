// How overlapping windows share work.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

enum class Strategy : std::uint8_t {
  // The planner chooses per window specification.
  kAuto,
  // One state per window; every row updates all windows that hold it. The naive baseline.
  kBuckets,
  // One state per slice; every firing merges all slices of its window.
  kRecompute,
  // One state per slice and a running state from which expiring slices are taken out again. Needs
  // aggregates that can be undone: count, sum, avg.
  kSubtract,
  // One state per slice, folded into two stacks per key (the idea of "two stacks" queues, Adams
  // 2011, kept sparse). Any associative aggregate.
  kTwoStacks,
  // The same at a bounded cost per firing: what two stacks do at once every now and then, done a
  // slice at a time. Any associative aggregate.
  kWorstCase,
  // One state per slice for all windows of the query together, and sums over intervals of 2^n ms,
  // of which every window is put together (Arasu and Widom 2004). Any associative aggregate.
  kBaseIntervals,
};

std::string_view to_string(Strategy strategy);
Expected<Strategy> parse_strategy(std::string_view text);

}  // namespace tidemark
