// Writes results as text: csv, json or a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/time_formatter.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

enum class ResultFormat : std::uint8_t { kCsv, kJson, kTable };

// From `csv`, `json` or `table`.
Expected<ResultFormat> parse_result_format(std::string_view text);

enum class ResultColumnKind : std::uint8_t { kWindowBound, kKey, kAggregate };

struct ResultColumn {
  Field field;
  ResultColumnKind kind;
  // An int64 column whose cells are the bits of unsigned numbers.
  bool is_unsigned = false;
  // A text column whose cells are JSON arrays.
  bool is_list = false;
};

// The columns of result batches, and whether the number of the window specification (1, 2, ...) is
// printed in front of them, as it must be with several.
struct ResultLayout {
  std::vector<ResultColumn> columns;
  bool numbered_windows = false;
};

ResultLayout result_layout(const WindowQuery& query);

// The column with the number of the window specification, where there are several.
inline constexpr std::string_view kWindowNumberColumn = "window";

// One line (or row) for each result. Writing throws what OutputFile throws. `output` must outlive
// the writer; finish() flushes it and leaves it to its owner to close. Where somebody watches the
// output, results are written out with every watermark.
std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ResultLayout layout,
                                               TimeFormatter times, OutputFile& output);

}  // namespace tidemark
