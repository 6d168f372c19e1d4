// Builds the stages of a query, runs them, and reports what happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/key_collection.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/source.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/scheduler.h"

namespace tidemark {

struct PipelineOptions {
  // Worker threads, at least 1; each runs one window stage, and sources are dealt out over them.
  std::size_t cores = 1;
  // CPUs to pin to, one per core; empty leaves placement to the system.
  std::vector<int> cpus{};
  std::size_t batch_rows = Batch::kDefaultCapacity;
  // Batches each channel owns (its credit), at least 1.
  std::size_t channel_batches = 16;
  // How long a partly filled batch may wait for more rows.
  std::chrono::milliseconds linger{5};
  WaitLadder ladder{};
  // Stress tests: yields at random points, from this seed.
  std::optional<std::uint64_t> random_yields{};
  // Tests: when keys that no window needs any more are dropped.
  KeyCollection key_collection = KeyCollection::kWhenDue;
  // Asked before every batch; may be null.
  const Cancellation* cancellation = nullptr;
};

// Results go through one sink task (`shared`), or are consumed by each window stage on its own core
// (`per_worker`, one sink per core, for checksums and latency recording). Exactly one is set.
struct ResultSinks {
  ResultSink* shared = nullptr;
  std::vector<ResultSink*> per_worker;
};

// Runs `query` over `partitions` until all end or cancellation. `late` may be null. Throws
// std::invalid_argument if validate(query) refuses, and what a partition or sink throws.
RunReport run_pipeline(const WindowQuery& query,
                       std::vector<std::unique_ptr<SourcePartition>>& partitions,
                       const ResultSinks& sinks, LateSink* late, const PipelineOptions& options);

}  // namespace tidemark
