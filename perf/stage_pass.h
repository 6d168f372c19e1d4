// One pass of a generated stream through a window stage alone, on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/operators/plan.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/work_phases.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark {

// What a pass has done so far, between two firings.
struct PassPoint {
  std::uint64_t rows = 0;
  std::uint64_t rows_on_time = 0;
  std::uint64_t updates = 0;
  std::uint64_t merges = 0;
  std::uint64_t windows_fired = 0;
  // Spent in the stage: adding rows, raising the watermark, firing, handing out results.
  std::int64_t nanoseconds = 0;
};

// State just before a firing.
struct StateSample {
  EventTime watermark = 0;
  std::uint64_t live_entries = 0;
  std::uint64_t allocated_bytes = 0;  // of window state, without the key table
};

struct KeyEntries {
  std::string key;
  std::uint64_t entries = 0;
};

struct StagePass {
  // The part of the stream that is measured: from the first firing of a full window on, as many
  // whole windows as there are, or else to the last firing before the end of the stream. If there
  // is no firing behind a full window it is the whole stream, with its end.
  PassPoint begin;
  PassPoint end;
  bool window_filled = false;
  // Ticks of that part by phase, and stamps taken; zero unless asked for.
  PhaseClock::Ticks ticks{};
  std::uint64_t stamps = 0;
  // Of that part, but without the end of the stream, which fires all that is open at once:
  // nanoseconds of each call that fired a window (or several, where rows are far apart), in order.
  std::vector<std::int64_t> firings;

  std::vector<StateSample> samples;  // about StagePassOptions::samples, evenly spaced
  // After the last row: before the end of the stream fires what is open.
  StateCounters state;
  // Entries of every key that has any then, most first; ties in the order of the keys' text.
  std::vector<KeyEntries> keys;

  // Of the whole stream.
  RunReport report;
  std::uint64_t checksum = 0;
  bool cancelled = false;  // what is here is not complete
};

struct StagePassOptions {
  // Whether ticks are taken, which costs time; see PhaseClock.
  bool in_phases = false;
  // Whether samples are taken and keys are counted, outside the time that is measured.
  bool looks_at_state = false;
  std::size_t samples = 200;
  const Cancellation* cancellation = nullptr;  // may be null
};

// Rows come in batches that are cut where the watermark completes a window, as one source task
// would send them: the results are those of the whole job. Making rows, hashing keys and copying
// them together is left out of the time. `query` is valid, with one window specification that has
// slices, its keys and values those of BenchStream, and no allowed lateness.
StagePass run_stage_pass(const WindowQuery& query, const std::vector<WindowPlan>& plans,
                         const BenchStream& stream, const StagePassOptions& options);

}  // namespace tidemark
