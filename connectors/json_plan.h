// What the first rows of a JSON input make of FileSourceOptions.
#pragma once

#include <string>
#include <string_view>

#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/json_pointer.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct JsonPlan {
  // Its columns are those that the options name, with the text before an array as header.
  CsvPlan rows;
  JsonColumns columns;
};

// `sample` is the start of the input, up to a row's end. Refuses what plan_rows() refuses, a
// document without the array of rows, and columns that no row of the sample has, unless their type
// is given. `input_name` is for messages.
Expected<JsonPlan> plan_json(const FileSourceOptions& options, std::string_view sample,
                             const std::string& input_name);

}  // namespace tidemark
