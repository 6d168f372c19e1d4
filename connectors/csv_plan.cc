#include "tidemark/connectors/csv_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <utility>

#include "tidemark/connectors/csv_header.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/message_text.h"
#include "tidemark/connectors/read_number.h"
#include "tidemark/connectors/row_sample.h"

namespace tidemark {

namespace {

class CsvSample final : public RowSample {
 public:
  CsvSample(const CsvHeader& header, std::string_view rows, char delimiter)
      : header_(header), scanner_(rows, delimiter) {}

  const std::vector<std::string>& columns() const override { return header_.columns(); }
  Expected<std::size_t> find(std::string_view name) const override { return header_.find(name); }
  bool next(CsvRow& row) override { return scanner_.next(row); }

 private:
  const CsvHeader& header_;
  CsvScanner scanner_;
};

// What the cells of a column are like.
struct ColumnEvidence {
  std::size_t cells = 0;  // that are not empty
  std::size_t integers = 0;
  std::size_t numbers = 0;  // integers among them
  std::string text;         // the first cell that is no number
};

// What the first rows tell.
struct SampleEvidence {
  std::vector<std::string_view> times;
  std::vector<ColumnEvidence> columns;
};

void look_at_cell(std::string_view cell, ColumnEvidence& evidence) {
  if (cell.empty()) return;
  ++evidence.cells;
  double number = 0;
  if (is_plain_integer(cell)) {
    ++evidence.integers;
    ++evidence.numbers;
  } else if (read_double(cell, number) != NumberReading::kNotANumber) {
    ++evidence.numbers;
  } else if (evidence.text.empty()) {
    evidence.text = cell;
  }
}

SampleEvidence look_at(RowSample& sample, std::optional<std::size_t> time_column,
                       const std::vector<std::size_t>& value_columns) {
  SampleEvidence evidence;
  evidence.columns.resize(sample.columns().size());
  CsvRow row;
  row.fields.resize(sample.columns().size());
  for (std::size_t count = 0; count < kTypeSampleRows && sample.next(row); ++count) {
    if (row.problem != CsvProblem::kNone || row.field_count != row.fields.size()) continue;
    if (time_column) {
      const std::string_view time = row.fields[*time_column].text;
      if (!time.empty() && evidence.times.size() < kTimeSampleRows) evidence.times.push_back(time);
    }
    for (const std::size_t column : value_columns) {
      look_at_cell(row.fields[column].text, evidence.columns[column]);
    }
  }
  return evidence;
}

Expected<CsvPlan::Filter> plan_filter(const CsvFilter& filter, const RowSample& header) {
  const Expected<std::size_t> column = header.find(filter.column);
  if (!column) return tl::unexpected(column.error());
  CsvPlan::Filter plan{*column, filter.op, filter.literal};
  if (filter.literal_is_text) return plan;
  std::int64_t integer = 0;
  double number = 0;
  if (read_int64(filter.literal, integer) == NumberReading::kRead) {
    plan.literal = integer;
  } else if (read_double(filter.literal, number) == NumberReading::kRead) {
    plan.literal = number;
  }
  return plan;
}

// Columns and filters; types follow once the sample has been looked at.
Expected<std::vector<CsvPlan::Value>> plan_values(const FileSourceOptions& options,
                                                  const RowSample& header) {
  std::vector<CsvPlan::Value> values;
  for (const CsvValueInput& input : options.values) {
    CsvPlan::Value value;
    value.is_gap = input.is_gap;
    if (!input.column.empty()) {
      const Expected<std::size_t> column = header.find(input.column);
      if (!column) return tl::unexpected(column.error());
      value.column = *column;
    }
    if (input.filter) {
      Expected<CsvPlan::Filter> filter = plan_filter(*input.filter, header);
      if (!filter) return tl::unexpected(filter.error());
      value.filter = *std::move(filter);
    }
    values.push_back(std::move(value));
  }
  return values;
}

Expected<void> check_types(const FileSourceOptions& options) {
  for (const auto& [column, type] : options.types) {
    if (type == ColumnType::kString) {
      return make_error(fmt::format(
          "column {} cannot be read as text here; its type is int or double", in_quotes(column)));
    }
  }
  return {};
}

// Single rows whose cell is no number are bad; but a query over text is not what was meant.
Expected<void> refuse_text(const CsvPlan& plan) {
  for (const CsvPlan::Value& value : plan.values) {
    if (value.text_in_sample.empty()) continue;
    const std::string& name = plan.columns[*value.column];
    return make_error(fmt::format(
        "column {} holds text in all of the first rows, such as {}, and of text there are only "
        "count, count_distinct, approx_distinct, first, last and collect; --type {}=double reads "
        "what numbers come later",
        in_quotes(name), in_quotes(value.text_in_sample), name));
  }
  return {};
}

void infer_type(const ColumnEvidence& evidence, TextUse text, CsvPlan::Value& value) {
  value.inferred = true;
  const bool integers = evidence.cells > 0 && evidence.integers == evidence.cells;
  const std::size_t texts = evidence.cells - evidence.numbers;
  if (text == TextUse::kShown ? texts > evidence.numbers : texts > 0) value.text = text;
  const bool is_text = value.text != TextUse::kNone;
  if (value.text == TextUse::kIdentity || value.text == TextUse::kShown) {
    value.dictionary = std::make_shared<TextDictionary>();
  }
  value.type = integers || is_text ? ColumnType::kInt64 : ColumnType::kDouble;
  const bool is_refused = !is_text && evidence.numbers == 0 && evidence.cells > 0;
  value.text_in_sample = is_refused ? evidence.text : "";
}

Expected<void> choose_types(CsvPlan& plan, const FileSourceOptions& options,
                            const RowSample& header, const SampleEvidence& evidence) {
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    CsvPlan::Value& value = plan.values[i];
    if (!value.column || value.is_gap) continue;
    infer_type(evidence.columns[*value.column], options.values[i].text, value);
  }
  for (const auto& [name, type] : options.types) {
    const Expected<std::size_t> column = header.find(name);
    if (!column) return tl::unexpected(column.error());
    for (CsvPlan::Value& value : plan.values) {
      if (value.column != *column || value.is_gap) continue;
      value.type = type;
      value.inferred = false;
      value.text = TextUse::kNone;
      value.text_in_sample.clear();
    }
  }
  return refuse_text(plan);
}

std::optional<std::string> warn_about(const std::vector<std::string_view>& times,
                                      EventTimeParser parser) {
  EventTime lowest = std::numeric_limits<EventTime>::max();
  EventTime highest = std::numeric_limits<EventTime>::min();
  for (const std::string_view text : times) {
    const std::optional<EventTime> time = parser.parse(text);
    if (!time) continue;
    lowest = std::min(lowest, *time);
    highest = std::max(highest, *time);
  }
  using std::chrono::milliseconds;
  const auto now =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  return doubtful_times_warning(lowest, highest, now.count(), parser.unit());
}

Schema schema_of(const CsvPlan& plan, const FileSourceOptions& options) {
  Schema schema;
  for (const std::string& key : options.keys) schema.push_back({key, ColumnType::kString});
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    schema.push_back({options.values[i].column, plan.values[i].type});
  }
  if (plan.carry_raw) schema.push_back({"raw", ColumnType::kString});
  if (plan.watermark_column) schema.push_back({"watermark", ColumnType::kInt64});
  return schema;
}

struct TimeReading {
  EventTimeParser parser;
  std::optional<DetectedTimeUnit> detected;
};

Expected<TimeReading> choose_time_reading(const FileSourceOptions& options,
                                          const std::vector<std::string_view>& times) {
  EventTimeOptions time = options.time;
  std::optional<DetectedTimeUnit> detected;
  if (options.time_column.empty()) time.unit = TimeUnit::kMilliseconds;
  if (time.unit == TimeUnit::kAuto && time.format.empty()) {
    const Expected<DetectedTimeUnit> unit = detect_time_unit(times);
    if (!unit) {
      return make_error(
          fmt::format("column {}: {}", in_quotes(options.time_column), unit.error().message));
    }
    detected = *unit;
    time.unit = unit->unit;
  }
  Expected<EventTimeParser> parser = EventTimeParser::create(time);
  if (!parser) return tl::unexpected(parser.error());
  return TimeReading{*std::move(parser), detected};
}

// Nothing for an empty name.
Expected<std::optional<std::size_t>> find_if_named(const RowSample& header,
                                                   const std::string& name) {
  if (name.empty()) return std::optional<std::size_t>();
  const Expected<std::size_t> column = header.find(name);
  if (!column) return tl::unexpected(column.error());
  return std::optional(*column);
}

}  // namespace

Expected<CsvPlan> plan_csv(const FileSourceOptions& options, std::string_view sample,
                           const std::string& input_name) {
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r') {
    return make_error("the delimiter cannot be a quote or a line end; use a byte such as , ; or |");
  }
  const Expected<CsvHeader> header = CsvHeader::read(sample, options.delimiter, input_name);
  if (!header) return tl::unexpected(header.error());
  CsvSample rows(*header, sample.substr(header->bytes()), options.delimiter);
  Expected<CsvPlan> plan = plan_rows(options, rows);
  if (!plan) return plan;
  plan->delimiter = options.delimiter;
  plan->header_bytes = header->bytes();
  plan->header_lines = header->lines();
  return plan;
}

Expected<CsvPlan> plan_rows(const FileSourceOptions& options, RowSample& sample) {
  if (const Expected<void> checked = check_types(options); !checked) {
    return tl::unexpected(checked.error());
  }
  const auto time_column = find_if_named(sample, options.time_column);
  if (!time_column) return tl::unexpected(time_column.error());
  const auto watermark_column = find_if_named(sample, options.watermark_column);
  if (!watermark_column) return tl::unexpected(watermark_column.error());
  std::vector<std::size_t> keys;
  for (const std::string& name : options.keys) {
    const Expected<std::size_t> key = sample.find(name);
    if (!key) return tl::unexpected(key.error());
    keys.push_back(*key);
  }
  Expected<std::vector<CsvPlan::Value>> values = plan_values(options, sample);
  if (!values) return tl::unexpected(values.error());

  std::vector<std::size_t> value_columns;
  for (const CsvPlan::Value& value : *values) {
    if (value.column) value_columns.push_back(*value.column);
  }
  const SampleEvidence evidence = look_at(sample, *time_column, value_columns);
  Expected<TimeReading> time = choose_time_reading(options, evidence.times);
  if (!time) return tl::unexpected(time.error());

  CsvPlan plan{.columns = sample.columns(),
               .delimiter = ',',
               .time_column = *time_column,
               .watermark_column = *watermark_column,
               .keys = std::move(keys),
               .values = *std::move(values),
               .carry_raw = options.carry_raw,
               .time_parser = time->parser,
               .detected_unit = time->detected,
               .time_warning = warn_about(evidence.times, time->parser),
               .schema = {},
               .header_bytes = 0,
               .header_lines = 0};
  if (const Expected<void> typed = choose_types(plan, options, sample, evidence); !typed) {
    return tl::unexpected(typed.error());
  }
  plan.schema = schema_of(plan, options);
  return plan;
}

}  // namespace tidemark
