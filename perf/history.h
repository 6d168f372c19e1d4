// The history of a project's figures: a file with one JSON object a line, and where its levels
// change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidemark/perf/change_points.h"
#include "tidemark/perf/measurement.h"

namespace tidemark {

struct HistoryFigure {
  std::string name;
  std::string unit;
  Better better = Better::kLower;
  double value = 0;  // median of the run
};

// One measurement of the project.
struct HistoryEntry {
  std::string time;  // ISO 8601
  std::string commit;
  std::string machine_json = "null";
  std::string build_json = "null";
  std::vector<HistoryFigure> figures;
};

struct History {
  std::vector<HistoryEntry> entries;  // as they were appended
  // A last line that is not whole, as a write that was cut off leaves it: it is no entry.
  bool last_line_is_torn = false;
};

// The entry of a measurement; counters that are texts are not in it. `now` is used where the
// measurement does not tell its time.
HistoryEntry history_entry(const Measurement& measurement, const std::string& now);

// A file that does not exist is an empty history. Refuses what is no regular file, and a line that
// is no entry with its number; only what begins like an entry may be one that was cut off.
Expected<History> read_history(const std::string& path);

// Whether append_history() will be able to write, told before anything is measured for it. Creates
// and changes nothing.
Expected<void> check_history_is_writable(const std::string& path);

// Adds one line, in one write under a lock, so that several programs may append to one file. A torn
// last line is cut off first. Creates the file if there is none. Refuses a file whose last line is
// of something else, and leaves it as it is.
Expected<void> append_history(const std::string& path, const HistoryEntry& entry);

// The values of one figure, in the order of the history.
struct HistorySeries {
  std::string name;
  std::string unit;
  Better better = Better::kLower;
  struct Point {
    std::string time;
    std::string commit;
    double value = 0;
  };
  std::vector<Point> points;
};

// One series for each figure of the last entry. Entries of other machines are left out, unless
// `any_machine`: another machine is another level, and no change of the project.
std::vector<HistorySeries> history_series(const History& history, bool any_machine);

struct FigureChangePoint {
  std::string figure;
  std::string unit;
  std::size_t index = 0;  // in the series
  std::string time;       // of the first entry of the new level
  std::string commit;
  double before = 0;
  double after = 0;
  double p_value = 1;
  bool worse = false;
};

// The newest points of a series in which change points are looked for: the cost grows by their
// square.
inline constexpr std::size_t kPointsLookedAt = 400;

std::vector<FigureChangePoint> history_change_points(const std::vector<HistorySeries>& series,
                                                     const ChangePointOptions& options);

}  // namespace tidemark
