// How a query runs: what does not change its results.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tidemark/operators/key_collection.h"
#include "tidemark/operators/local_aggregation.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/operators/watermark_strategy.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/scheduler.h"

namespace tidemark {

class LiveRuns;

struct PipelineOptions {
  // Worker threads, at least 1; each runs one window stage, and sources are dealt out over them.
  std::size_t cores = 1;
  // CPUs to pin to, one per core; empty leaves placement to the system.
  std::vector<int> cpus{};
  // What is known of the stream; helps to choose a strategy that is left open.
  std::optional<StreamShape> stream{};
  std::size_t batch_rows = Batch::kDefaultCapacity;
  // Batches each channel owns (its credit), at least 1.
  std::size_t channel_batches = 16;
  // How long a partly filled batch may wait for more rows.
  std::chrono::milliseconds linger{5};
  WaitLadder ladder{};
  // Reads the clock of processing time, in ms since 1970; empty: the system's. Called by several
  // threads.
  WallClock wall_clock{};
  // Reads the clock by which partitions are idle; empty: Clock::now. Called by several threads.
  std::function<Clock::time_point()> steady_clock{};
  // Stress tests: yields at random points, from this seed.
  std::optional<std::uint64_t> random_yields{};
  // Tests: when keys that no window needs any more are dropped.
  KeyCollection key_collection = KeyCollection::kWhenDue;
  // Whether source tasks aggregate their own rows where the query allows it. Other values than the
  // default are for tests and measurements.
  LocalAggregation local_aggregation = LocalAggregation::kWhenItPays;
  // Asked before every batch; may be null.
  const Cancellation* cancellation = nullptr;
  // Where the run shows its figures while it goes on; may be null.
  LiveRuns* live = nullptr;
};

}  // namespace tidemark
