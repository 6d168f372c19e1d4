// What a keyed windowed aggregation must answer, in the plainest way: windows by enumeration, the
// rows of every (window, key) kept in a list, aggregates computed from the lists at the end. Shares
// no code with the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

struct ModelLateRow {
  Row row;
  // The watermark when it came, and the end of its last window over all specifications.
  EventTime watermark = 0;
  EventTime last_window_end = 0;
};

struct ModelOutcome {
  // In canonical order.
  std::vector<ResultRow> results;
  std::vector<ModelLateRow> late;
  std::uint64_t rows_on_time = 0;
  std::uint64_t rows_in_no_window = 0;
  // (row, window) pairs that entered a result.
  std::uint64_t accepted_pairs = 0;
  // Sums that do not fit int64.
  std::uint64_t overflow_count = 0;

  std::vector<Row> late_rows() const;
};

enum class ModelWatermark {
  kAfterEveryRow,  // highest time so far - delay - 1
  kOnlyAtEnd,      // nothing is ever late
};

// `rows` in arrival order, all of one partition.
ModelOutcome run_naive_model(const WindowQuery& query, const std::vector<Row>& rows,
                             ModelWatermark watermark = ModelWatermark::kAfterEveryRow);

// Starts of all windows of `spec` that hold `time`, ascending.
std::vector<EventTime> naive_window_starts(const WindowSpec& spec, EventTime time);

}  // namespace tidemark::test_support
