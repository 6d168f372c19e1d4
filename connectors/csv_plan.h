// What a CSV header and the first rows make of FileSourceOptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/connectors/event_time_text.h"
#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/row_sample.h"
#include "tidemark/connectors/text_dictionary.h"
#include "tidemark/connectors/time_unit_detection.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct CsvPlan {
  struct Filter {
    std::size_t column;
    CompareOp op;
    std::variant<std::int64_t, double, std::string> literal;
  };
  struct Value {
    std::optional<std::size_t> column;
    ColumnType type = ColumnType::kInt64;
    bool inferred = false;
    std::optional<Filter> filter;
    bool is_gap = false;
    TextUse text = TextUse::kNone;  // what is read of it, an int64; kNone: it is a number
    std::shared_ptr<TextDictionary> dictionary{};  // of kIdentity and kShown
    std::string text_in_sample;                    // a cell, if all are text and that is of no use
  };

  std::vector<std::string> columns;  // the header
  char delimiter;
  std::optional<std::size_t> time_column;
  std::optional<std::size_t> watermark_column;
  std::vector<std::size_t> keys;
  std::vector<Value> values;
  bool carry_raw;
  EventTimeParser time_parser;
  // Set if the unit was found out rather than declared.
  std::optional<DetectedTimeUnit> detected_unit;
  // See doubtful_times_warning(); from the first rows.
  std::optional<std::string> time_warning;
  // Keys, values, "raw", "watermark".
  Schema schema;
  std::size_t header_bytes;
  std::uint64_t header_lines;
};

// Rows that are looked at for types.
inline constexpr std::size_t kTypeSampleRows = 10'000;

// `sample` is the start of the input, whole rows. A value column is int64 if every cell in the
// sample that is not NULL is a plain integer, of any length, and there is one; else double, or text
// if some are no numbers and what is read of it need not be one.
// Refuses: no header, lone CR as line ends, columns that do not exist or exist twice, times of
// unknown unit, and values that are text in all of the sample where numbers are wanted. A column of
// watermarks has the unit of the times. `input_name` is for messages.
Expected<CsvPlan> plan_csv(const FileSourceOptions& options, std::string_view sample,
                           const std::string& input_name);

// The same for any format whose columns and first rows are known; without the delimiter and the
// header.
Expected<CsvPlan> plan_rows(const FileSourceOptions& options, RowSample& sample);

}  // namespace tidemark
