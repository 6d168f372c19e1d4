// What window state costs: a grid of slides, keys and strategies on one and the same stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/work_phases.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/latency_recorder.h"
#include "tidemark/perf/stage_pass.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark {

struct ProfileOptions {
  std::int64_t size = 600'000;       // of the windows, ms
  std::vector<std::int64_t> slides;  // ms; may be the size, or more
  std::vector<std::uint64_t> keys;
  std::vector<Strategy> strategies;
  std::vector<AggregateSpec> aggregates;  // over BenchStream::values()
  // Of every cell, except that each has its own number of keys. The watermark waits for disorder.
  BenchStreamConfig stream;
  // Passes that are timed, at least 1; one more tells the phases apart.
  std::size_t repeats = 3;
  // A cell that is predicted to hold more bytes of state is not run.
  std::uint64_t memory_limit = std::uint64_t{2} << 30;
  std::size_t top_keys = 10;
  // Above 0 each cell also runs once as a whole job on so many cores, pinned to `cpus` if there is
  // one for each.
  std::size_t cores = 0;
  std::vector<int> cpus;

  // Called before each cell that is run: how many are done, of how many, and what comes.
  std::function<void(std::size_t done, std::size_t all, const std::string& next)> on_cell;
  const Cancellation* cancellation = nullptr;  // may be null
};

// count, sum(amount): every strategy can do these.
std::vector<AggregateSpec> profile_aggregates();

// Rows per second of event time for which `rows` rows make 2.2 windows: then one fills, and the
// next is measured as a whole. At least 1.
std::uint64_t default_event_rate(std::int64_t size, std::uint64_t rows);

// Per row, slide or cell; what the cost model does not say is not there.
struct ProfilePrediction {
  double updates_per_row = 0;
  std::optional<double> merges_per_slide;
  std::optional<double> live_entries;
  std::optional<double> state_bytes;      // of live entries, with their headers
  std::optional<double> allocated_bytes;  // and of running states and the index of open slices
};

// What was measured, from the first full window on; peaks and totals of the whole stream where it
// says so.
struct CellFigures {
  Strategy ran = Strategy::kAuto;  // what kAuto became
  bool window_filled = false;
  // What the measured part of the stream came to; slides are windows with results.
  std::uint64_t rows = 0;
  std::uint64_t rows_on_time = 0;
  std::uint64_t slides = 0;
  std::uint64_t updates = 0;
  std::uint64_t merges = 0;
  std::vector<double> rows_per_second_of_passes;  // of the stage alone, in the order they ran
  double rows_per_second = 0;                     // the median
  double updates_per_row = 0;                     // on time
  double merges_per_slide = 0;
  double work_per_row = 0;            // updates and merges: states touched on behalf of a row
  std::uint64_t live_entries = 0;     // peak
  std::uint64_t state_bytes = 0;      // of these, with their headers
  std::uint64_t allocated_bytes = 0;  // peak of window state
  std::uint64_t key_table_bytes = 0;  // peak
  std::uint64_t keys_held = 0;        // peak
  double bytes_per_key = 0;           // allocated, with the key table
  // Nanoseconds; each firing by its shortest time of all passes, since it does the same work in
  // each, and whatever else the machine does only adds to it.
  LatencyRecorder firings;
  std::array<double, kWorkPhases> time_share{};  // by WorkPhase, sum 1
  // What taking the time of phases itself took of the time that they share.
  double stamp_share = 0;
  std::vector<StateSample> samples;
  std::uint64_t entry_bytes = 0;  // of one entry, with its header
  std::uint64_t entries_at_end = 0;
  std::vector<KeyEntries> top_keys;  // after the last row
  // Entries per key that has any then: the middle one, that of 99 % of keys, and the most.
  std::uint64_t key_entries_median = 0;
  std::uint64_t key_entries_p99 = 0;
  std::uint64_t key_entries_max = 0;
  std::uint64_t results = 0;
  std::uint64_t checksum = 0;
  bool rows_add_up = true;
  bool no_overflow = true;
};

// The whole job of a cell, once, from sources to sinks.
struct JobFigures {
  double rows_per_second = 0;
  std::uint64_t results = 0;
  std::uint64_t checksum = 0;
};

struct ProfileCell {
  std::int64_t slide = 0;
  std::uint64_t keys = 0;
  Strategy strategy = Strategy::kAuto;  // as asked for
  double rows_per_slide = 0;
  std::optional<ProfilePrediction> predicted;
  std::optional<std::string> refused;  // why the cell was not run
  std::optional<CellFigures> figures;  // of one that was
  std::optional<JobFigures> job;       // with ProfileOptions::cores

  double rows_per_key_and_slide() const { return rows_per_slide / static_cast<double>(keys); }
};

// Whether results of the strategies of one cell are the same, and those of its job.
struct ProfileChecks {
  // Aggregates whose last bits depend on the order of additions have no checksum to compare; then
  // only numbers of results are compared.
  bool comparable = true;
  // One sentence for each strategy that differs from the first of its slide and number of keys, and
  // for each job that differs from its cell.
  std::vector<std::string> disagreeing;
  bool rows_add_up = true;
  bool no_overflow = true;

  bool right() const { return disagreeing.empty() && rows_add_up && no_overflow; }
};

// How many times what a strategy needs buckets need: work per row, live entries, allocated bytes.
struct PaneSaving {
  std::int64_t slide = 0;
  std::uint64_t keys = 0;
  Strategy strategy = Strategy::kAuto;
  double rows_per_key_and_slide = 0;
  double work = 0;
  double entries = 0;
  double allocated = 0;
};

struct StateProfile {
  ProfileOptions options;
  std::vector<ProfileCell> cells;  // by slide, then keys, then strategy, as asked for
  std::vector<PaneSaving> savings;
  ProfileChecks checks;
  bool cancelled = false;  // what is here is not complete
};

// The query of one cell.
WindowQuery profile_query(const ProfileOptions& options, std::int64_t slide, Strategy strategy);

// Refuses what cannot run at all, in one sentence, before any row is made. A strategy that cannot
// do a cell is no error: the cell says so.
Expected<void> validate(const ProfileOptions& options);

// `options` are valid.
StateProfile run_profile(const ProfileOptions& options);

// `comparable`: see there.
ProfileChecks check_cells(const std::vector<ProfileCell>& cells, bool comparable);

// (measured - expected) / expected: 0 where both are 0, nothing where only what was expected is.
std::optional<double> prediction_error(double measured, double expected);

// One for each cell of a strategy with slices that has buckets beside it, both measured.
std::vector<PaneSaving> pane_savings(const std::vector<ProfileCell>& cells);

}  // namespace tidemark
