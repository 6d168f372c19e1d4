// What a run did, in figures that add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/operators/strategy.h"
#include "tidemark/runtime/scheduler.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

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
  std::uint64_t expired_windows = 0;  // (key, window) states that ended by state TTL
  std::uint64_t timers_put_off = 0;   // of sessions that had grown when their timer came up
  std::uint64_t peak_live_entries = 0;
  std::uint64_t live_entries = 0;           // at the end
  std::uint64_t keys = 0;                   // keys held at the end, needed or not
  std::uint64_t state_bytes_per_entry = 0;  // aggregate state of one entry, without its header
  std::uint64_t peak_key_table_bytes = 0;
  std::uint64_t peak_state_bytes = 0;  // all window state and key tables, allocated

  // When keys that are done with are dropped depends a little on how rows come in batches.
  std::uint64_t live_keys = 0;    // keys with state at the end
  std::uint64_t peak_keys = 0;    // keys held at one time
  std::uint64_t state_bytes = 0;  // all window state and key tables at the end, allocated
};

// Overflows in full number, and the first few by name.
struct OverflowList {
  static constexpr std::size_t kNamed = 20;
  std::uint64_t count = 0;
  std::vector<Overflow> named;

  void add(Overflow overflow) {
    ++count;
    if (named.size() < kNamed) named.push_back(std::move(overflow));
  }
  void add(const OverflowList& others) {
    for (const Overflow& overflow : others.named) add(overflow);
    count += others.count - others.named.size();
  }
};

// A step by which a row raised the highest event time of its partition.
struct EventTimeJump {
  std::int64_t ms = 0;  // to - from; 0: there was none
  EventTime from = kNoWatermark;
  EventTime to = kNoWatermark;
  std::uint64_t row = 0;  // its number among the rows of its partition that are not bad, from 1
  std::size_t partition = 0;
  // Rows of the partition that came after it and lie nearer to `from` than to `to`: the time that
  // jumped was probably wrong.
  std::uint64_t rows_behind = 0;
};

struct RunReport {
  std::uint64_t rows_read = 0;
  std::uint64_t rows_on_time = 0;
  std::uint64_t rows_late = 0;
  std::uint64_t rows_bad = 0;
  std::uint64_t rows_in_no_window = 0;
  std::uint64_t results = 0;
  // Windows with at least one result, over all specifications. Each counts once, whatever the
  // number of cores; only where every worker has a sink of its own does it count once per worker.
  std::uint64_t windows_fired = 0;
  // Watermark at the end, kEndOfTime after a whole input; kNoWatermark if there was none.
  EventTime watermark = kNoWatermark;
  EventTime highest_event_time = kNoWatermark;
  // Of the query: bounded out-of-orderness in ms.
  std::int64_t delay = 0;
  // The largest of all partitions. Processing time has none.
  EventTimeJump largest_jump;
  // How often a partition was declared idle.
  std::uint64_t idle_transitions = 0;
  // Partitions, by number, that lasted for a second or more without delivering a row or being
  // declared idle while others had rows: no window could fire before they ended.
  std::vector<std::size_t> silent_partitions;
  double wall_seconds = 0;
  bool cancelled = false;
  // With cancelled: windows that still held rows, which are not in the output.
  std::uint64_t open_windows_dropped = 0;
  std::vector<Strategy> strategies;  // the one that ran, per window specification
  // Rows that were aggregated by their source task, and the partial states that went on in their
  // place. With one core there are none.
  std::uint64_t rows_preaggregated = 0;
  std::uint64_t partials = 0;
  // Why source tasks never aggregate in this query, for people; empty if they may.
  std::string no_local_aggregation;
  // From source tasks to window stages.
  std::uint64_t batches_sent = 0;
  std::size_t cores = 1;
  StateCounters state;
  OverflowList overflows;
  std::vector<Scheduler::WorkerMetrics> workers;
};

}  // namespace tidemark
