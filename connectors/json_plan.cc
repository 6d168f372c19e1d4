#include "tidemark/connectors/json_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "tidemark/connectors/column_names.h"
#include "tidemark/connectors/json_chunk.h"
#include "tidemark/connectors/json_document.h"
#include "tidemark/connectors/json_rows.h"
#include "tidemark/connectors/message_text.h"
#include "tidemark/connectors/row_sample.h"

namespace tidemark {

namespace {

void add_name(const std::string& name, std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  names.push_back(name);
}

std::vector<std::string> named_columns(const FileSourceOptions& options) {
  std::vector<std::string> names;
  add_name(options.time_column, names);
  add_name(options.watermark_column, names);
  for (const std::string& key : options.keys) add_name(key, names);
  for (const CsvValueInput& value : options.values) {
    add_name(value.column, names);
    if (value.filter) add_name(value.filter->column, names);
  }
  for (const auto& [name, type] : options.types) add_name(name, names);
  return names;
}

// Whether the steps lead to some value, if only to null.
bool leads_somewhere(const nlohmann::json& row, const std::vector<std::string>& steps) {
  const nlohmann::json* value = &row;
  for (const std::string& step : steps) {
    if (value->is_object() && value->contains(step)) {
      value = &value->at(step);
      continue;
    }
    std::size_t index = 0;
    const char* const end = step.data() + step.size();
    const auto [read, error] = std::from_chars(step.data(), end, index);
    if (!value->is_array() || error != std::errc() || read != end || index >= value->size()) {
      return false;
    }
    value = &(*value)[index];
  }
  return true;
}

class JsonSample final : public RowSample {
 public:
  JsonSample(std::string_view text, FileFormat format, std::vector<std::string> names,
             const JsonColumns& columns, std::string input_name)
      : text_(text),
        format_(format),
        names_(std::move(names)),
        texts_(text, format),
        reader_(columns),
        input_name_(std::move(input_name)) {}

  const std::vector<std::string>& columns() const override { return names_; }

  Expected<std::size_t> find(std::string_view name) const override {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return static_cast<std::size_t>(found - names_.begin());
  }

  bool next(CsvRow& row) override;

  // Refuses a column that no row has, other than those that `known` names.
  Expected<void> check_columns(const std::vector<std::pair<std::string, ColumnType>>& known) const;

 private:
  std::string_view text_;
  FileFormat format_;
  std::vector<std::string> names_;
  JsonRowTexts texts_;
  JsonRowReader reader_;
  std::string input_name_;
  // A deque, so that cells stay where they are.
  std::deque<std::string> cells_;
  std::string padded_;
};

bool JsonSample::next(CsvRow& row) {
  if (!texts_.next(row)) return false;
  padded_.assign(row.raw);
  padded_.reserve(padded_.size() + JsonRowReader::kPadding);
  row.problem = CsvProblem::kNone;
  // A row that cannot be read has no cells, and tells nothing.
  if (!reader_.read(padded_, row)) row.field_count = row.fields.size() + 1;
  for (CsvField& field : row.fields) field.text = cells_.emplace_back(field.text);
  return true;
}

Expected<void> JsonSample::check_columns(
    const std::vector<std::pair<std::string, ColumnType>>& known) const {
  std::vector<std::string> missing;
  for (const std::string& name : names_) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const auto& type) { return type.first == name; });
    if (!is_known) missing.push_back(name);
  }
  std::vector<std::string> members;
  JsonRowTexts texts(text_, format_);
  CsvRow row;
  for (std::size_t count = 0; count < kTypeSampleRows && !missing.empty() && texts.next(row);
       ++count) {
    const nlohmann::json json = nlohmann::json::parse(row.raw, nullptr, false);
    if (!json.is_object()) continue;
    std::erase_if(missing, [&](const std::string& name) {
      return leads_somewhere(json, parse_json_pointer(name).value());
    });
    for (const auto& [name, value] : json.items()) add_name(name, members);
  }
  // Without a single good row there is nothing to compare with.
  if (missing.empty() || members.empty()) return {};
  return make_error(no_such_column(missing.front(), members, input_name_));
}

// Where the rows begin; behind the array's opening bracket.
Expected<std::size_t> begin_of_rows(const FileSourceOptions& options, std::string_view sample,
                                    const std::string& input_name) {
  if (options.format == FileFormat::kJsonLines) return 0;
  const Expected<std::vector<std::string>> steps = parse_json_pointer(options.json_rows);
  if (!steps) return tl::unexpected(steps.error());
  const JsonRowsBegin begin = find_json_rows(sample, *steps);
  if (begin.status == JsonRowsBegin::Status::kFound) return begin.offset;
  const std::string problem = begin.status == JsonRowsBegin::Status::kNone
                                  ? begin.problem
                                  : std::string("the input ends before that");
  if (steps->empty()) {
    return make_error(fmt::format(
        "{} is not one JSON array of rows: {}; if the rows are in an array inside it, point there "
        "with --json-rows, such as /rows; if there is one object a line, say --format ndjson",
        input_name, problem));
  }
  return make_error(fmt::format("{} has no array of rows at {}: {}", input_name,
                                in_quotes(options.json_rows), problem));
}

}  // namespace

Expected<JsonPlan> plan_json(const FileSourceOptions& options, std::string_view sample,
                             const std::string& input_name) {
  if (sample.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return make_error(fmt::format("{} is empty; a JSON input has at least one row", input_name));
  }
  const Expected<std::size_t> begin = begin_of_rows(options, sample, input_name);
  if (!begin) return tl::unexpected(begin.error());
  std::vector<std::string> names = named_columns(options);
  Expected<JsonColumns> columns = JsonColumns::create(names);
  if (!columns) return tl::unexpected(columns.error());
  JsonSample rows(sample.substr(*begin), options.format, std::move(names), *columns, input_name);
  if (const Expected<void> checked = rows.check_columns(options.types); !checked) {
    return tl::unexpected(checked.error());
  }
  Expected<CsvPlan> plan = plan_rows(options, rows);
  if (!plan) return tl::unexpected(plan.error());
  plan->header_bytes = *begin;
  plan->header_lines = static_cast<std::uint64_t>(
      std::count(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(*begin), '\n'));
  return JsonPlan{*std::move(plan), *std::move(columns)};
}

}  // namespace tidemark
