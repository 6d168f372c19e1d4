// Builds the stages of a query, runs them, and reports what happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/source.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/scheduler.h"

namespace tidemark {

struct PipelineOptions {
  // Worker threads, at least 1; each runs one window stage, and sources are dealt out over them.
  std::size_t cores = 1;
  // CPUs to pin to, one per core; empty leaves placement to the system.
  std::vector<int> cpus;
  std::size_t batch_rows = Batch::kDefaultCapacity;
  // Batches each channel owns (its credit), at least 1.
  std::size_t channel_batches = 8;
  // How long a partly filled batch may wait for more rows.
  std::chrono::milliseconds linger{5};
  WaitLadder ladder;
  // Stress tests: yields at random points, from this seed.
  std::optional<std::uint64_t> random_yields;
  // Asked before every batch; may be null.
  const Cancellation* cancellation = nullptr;
};

// Results go through one sink task (`shared`), or are consumed by each window stage on its own core
// (`per_worker`, one sink per core, for checksums and latency recording). Exactly one is set.
struct ResultSinks {
  ResultSink* shared = nullptr;
  std::vector<ResultSink*> per_worker;
};

// A sum whose exact value does not fit its column: the cell is NULL.
struct Overflow {
  EventTime window_start;
  EventTime window_end;
  std::string key;        // as text, columns joined by ','
  std::string aggregate;  // the output column
};

// Figures that do not depend on timing: same rows, same query, one partition, same numbers.
struct StateCounters {
  std::uint64_t updates = 0;          // pane entries touched by rows
  std::uint64_t merges = 0;           // state merged into, restored to or taken from another
  std::uint64_t windows_fired = 0;    // (window, worker) firings with at least one result
  std::uint64_t peak_live_entries = 0;
  std::uint64_t live_entries = 0;     // at the end
  std::uint64_t keys = 0;             // keys held at the end
  std::uint64_t state_bytes_per_entry = 0;  // aggregate state of one entry, without its header
  std::uint64_t peak_key_table_bytes = 0;
  std::uint64_t peak_state_bytes = 0;  // all window state and key tables, allocated
};

struct RunReport {
  std::uint64_t rows_read = 0;
  std::uint64_t rows_on_time = 0;
  std::uint64_t rows_late = 0;
  std::uint64_t rows_bad = 0;
  std::uint64_t rows_in_no_window = 0;
  std::uint64_t results = 0;
  std::uint64_t windows_fired = 0;
  // Watermark at the end, kEndOfTime after a whole input; kNoWatermark if there was none.
  EventTime watermark = kNoWatermark;
  EventTime highest_event_time = kNoWatermark;
  double wall_seconds = 0;
  bool cancelled = false;
  // With cancelled: windows that still held rows, which are not in the output.
  std::uint64_t open_windows_dropped = 0;
  Strategy strategy = Strategy::kAuto;  // the one that ran
  std::size_t cores = 1;
  StateCounters state;
  std::uint64_t overflow_count = 0;
  std::vector<Overflow> overflows;  // the first few
  std::vector<Scheduler::WorkerMetrics> workers;
};

// Runs `query` over `partitions` until all end or cancellation. `late` may be null. Throws
// std::invalid_argument if validate(query) refuses, and what a partition or sink throws.
RunReport run_pipeline(const WindowQuery& query,
                       std::vector<std::unique_ptr<SourcePartition>>& partitions,
                       const ResultSinks& sinks, LateSink* late, const PipelineOptions& options);

}  // namespace tidemark
