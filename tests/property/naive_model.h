// What a keyed windowed aggregation must answer, in the plainest way: a row at a time, the rows of
// every window of every key kept in a list, everything computed from the lists when a window fires.
// Shares no code with the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

struct ModelLateRow {
  Row row;
  // The watermark when it came, and the one that closed its last window over all specifications.
  EventTime watermark = 0;
  EventTime closed_at = 0;
};

struct ModelOutcome {
  // In canonical order; results of the same window and key in the order of their firings.
  std::vector<ResultRow> results;
  std::vector<ModelLateRow> late;
  std::uint64_t rows_on_time = 0;
  std::uint64_t rows_in_no_window = 0;
  std::uint64_t rows_bad = 0;
  // Sums that do not fit int64.
  std::uint64_t overflow_count = 0;

  std::vector<Row> late_rows() const;
};

enum class ModelWatermark {
  kAfterEveryRow,  // as the query says
  kOnlyAtEnd,      // nothing is ever late
};

// `rows` in arrival order, all of one partition. Everything of the query but processing time,
// triggers, evictors and the end of unused state; a gap of a session's row must be positive.
ModelOutcome run_naive_model(const WindowQuery& query, const std::vector<Row>& rows,
                             ModelWatermark watermark = ModelWatermark::kAfterEveryRow);

}  // namespace tidemark::test_support
