#include "tidemark/connectors/result_writer.h"

#include <utility>

#include "tidemark/connectors/csv_result_writer.h"
#include "tidemark/connectors/json_result_writer.h"
#include "tidemark/connectors/table_result_writer.h"

namespace tidemark {

Expected<ResultFormat> parse_result_format(std::string_view text) {
  if (text == "csv") return ResultFormat::kCsv;
  if (text == "json") return ResultFormat::kJson;
  if (text == "table") return ResultFormat::kTable;
  return make_error(fmt::format("results are written as csv, json or table, not {:?}", text));
}

ResultLayout result_layout(const WindowQuery& query) {
  ResultLayout layout;
  layout.numbered_windows = query.windows.size() > 1;
  const Schema schema = query.result_schema();
  // What follows the aggregates, as panes do, is written like them.
  constexpr std::size_t kBounds = 2;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const ResultColumnKind kind = i < kBounds                       ? ResultColumnKind::kWindowBound
                                  : i < kBounds + query.keys.size() ? ResultColumnKind::kKey
                                                                    : ResultColumnKind::kAggregate;
    const std::size_t aggregate = i - kBounds - query.keys.size();
    const bool is_list = kind == ResultColumnKind::kAggregate &&
                         aggregate < query.aggregates.size() &&
                         has_list_result(query.aggregates[aggregate].function);
    layout.columns.push_back({.field = schema[i], .kind = kind, .is_list = is_list});
  }
  return layout;
}

std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ResultLayout layout,
                                               TimeFormatter times, OutputFile& output) {
  if (format == ResultFormat::kJson) {
    return std::make_unique<JsonResultWriter>(std::move(layout), times, output);
  }
  if (format == ResultFormat::kTable) {
    return std::make_unique<TableResultWriter>(std::move(layout), times, output);
  }
  return std::make_unique<CsvResultWriter>(std::move(layout), times, output);
}

}  // namespace tidemark
