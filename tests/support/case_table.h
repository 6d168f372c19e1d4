// Worked examples as text: what comes in, what must come out.
//
//   case Sliding windows begin before the first row
//   window sliding size=10s slide=5s
//   key user:string
//   value amount:int64
//   aggregate count
//   aggregate sum amount
//   aggregate quantile amount 0.9
//   delay 5s
//   rows
//     2s A 10
//     14s A NULL
//     fired 1
//   results
//     -5s 5s A 1 10
//   late
//   no_window 0
//
// Times are milliseconds, durations (`-5s`) or ISO 8601 with `Z` or an offset. NULL is SQL's; text
// may be quoted with '. `every 30m FROM TO A 10` is a row A 10 at FROM, 30 minutes later and so on,
// up to but not at TO. `fired 1` holds the source until exactly one result has come out. `watermark
// W` stands for a watermark that no row of the case brings: a row at W + delay + 1 on a stream of
// its own, an extra key column that the loader adds. With several windows, results begin with the
// window's number, from 0. `carry note:string` names a column that only the late rows show. Without
// `late`, `no_window` or `bad`, none is expected.
//
// A session's gap may be the name of a value column: `window session gap_column=pause`. How windows
// fire is said by `lateness 10s`, `early 4s` or `early rows=3`, `accumulate retracting` and
// `repeat_unchanged`; `zone Europe/Rome` and `max_ahead 1h` are the query's, too, as is
// `watermarks none` or `watermarks punctuated`, where rows end with the watermark in ms that they
// bring or NULL. After `panes`,
// results end with their pane, index and change: `0 10s 3 late 1 +U`. The bounds of a global window
// are `-inf inf`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"
#include "tidemark/runtime/error.h"

namespace tidemark::test_support {

// Waits until this many results of the case's own rows have come out.
struct FiredStep {
  std::size_t results = 0;
};
// A row that only moves the watermark.
struct FillerStep {
  Row row;
};
using CaseStep = std::variant<Row, FiredStep, FillerStep>;

struct GoldenCase {
  std::string file;
  std::size_t line = 0;
  std::string name;
  WindowQuery query;
  // The first key column tells the case's own rows from fillers.
  bool has_filler = false;
  std::vector<CaseStep> steps;
  // In canonical order, without those of fillers.
  std::vector<ResultRow> results;
  std::vector<Row> late;
  std::uint64_t rows_in_no_window = 0;
  std::uint64_t rows_bad = 0;
};

Expected<std::vector<GoldenCase>> load_case_table(const std::string& path);

// A time in any of the forms above.
Expected<EventTime> parse_case_time(const std::string& text);

}  // namespace tidemark::test_support
