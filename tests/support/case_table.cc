#include "support/case_table.h"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tidemark/runtime/duration.h"

namespace tidemark::test_support {
namespace {

constexpr const char* kOwnStream = "case";
constexpr const char* kFillerStream = "filler";

// Thrown inside the loader; load_case_table() turns it into an Error.
struct BadTable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Words = std::vector<std::string>;

Words split(const std::string& line) {
  Words words;
  std::istringstream stream(line.substr(0, line.find('#')));
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

template <typename T>
T value_of(const Expected<T>& expected) {
  if (!expected) throw BadTable(expected.error().message);
  return *expected;
}

EventTime time_of(const std::string& text) { return value_of(parse_case_time(text)); }

ColumnType parse_type(const std::string& text) {
  if (text == "int64") return ColumnType::kInt64;
  if (text == "double") return ColumnType::kDouble;
  if (text == "string") return ColumnType::kString;
  throw BadTable(fmt::format("unknown type '{}'", text));
}

Field parse_field(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw BadTable(fmt::format("'{}' is not name:type", text));
  return {text.substr(0, colon), parse_type(text.substr(colon + 1))};
}

Cell parse_cell(const std::string& text, ColumnType type) {
  if (text == "NULL") return kNull;
  switch (type) {
    case ColumnType::kInt64:
      return static_cast<std::int64_t>(std::stoll(text));
    case ColumnType::kDouble:
      return std::stod(text);
    case ColumnType::kString:
      break;
  }
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

AggregateFunction parse_function(const std::string& text) {
  for (auto number = std::uint8_t{0}; number < static_cast<std::uint8_t>(AggregateFunction::kUser);
       ++number) {
    const auto function = static_cast<AggregateFunction>(number);
    if (to_string(function) == text) return function;
  }
  throw BadTable(fmt::format("unknown aggregate '{}'", text));
}

Accumulation parse_accumulation(const std::string& text) {
  for (const auto mode :
       {Accumulation::kAccumulating, Accumulation::kDiscarding, Accumulation::kRetracting}) {
    if (to_string(mode) == text) return mode;
  }
  throw BadTable(fmt::format("unknown mode of accumulation '{}'", text));
}

WatermarkKind parse_watermarks(const std::string& text) {
  if (text == "punctuated") return WatermarkKind::kPunctuated;
  if (text == "none") return WatermarkKind::kNone;
  throw BadTable(fmt::format("unknown source of watermarks '{}'", text));
}

EarlyFiring parse_early(const std::string& text) {
  if (text.starts_with("rows=")) return {EarlyFiring::Kind::kRows, std::stoll(text.substr(5))};
  return {EarlyFiring::Kind::kEventTime, time_of(text)};
}

// Cells of rows and results are read once the whole case is known, as the filler column may still
// come.
class CaseBuilder {
 public:
  explicit CaseBuilder(GoldenCase golden) : case_(std::move(golden)) {}

  void add(const Words& words) {
    const std::string& word = words[0];
    if (word == "window") {
      std::string spec = words.at(1);
      for (std::size_t i = 2; i < words.size(); ++i) spec += " " + words[i];
      case_.query.windows.push_back(value_of(parse_window_spec(spec)));
    } else if (word == "key") {
      case_.query.keys.push_back(parse_field(words.at(1)));
    } else if (word == "value") {
      case_.query.values.push_back(parse_field(words.at(1)));
    } else if (word == "carry") {
      case_.query.carried.push_back(parse_field(words.at(1)));
    } else if (word == "aggregate") {
      add_aggregate(words);
    } else if (word == "no_window") {
      case_.rows_in_no_window = std::stoull(words.at(1));
    } else if (word == "bad") {
      case_.rows_bad = std::stoull(words.at(1));
    } else if (add_option(words)) {
      return;
    } else if (word == "rows" || word == "results" || word == "late") {
      block_ = word;
    } else {
      add_to_block(words);
    }
  }

  GoldenCase finish() {
    if (case_.has_filler) {
      case_.query.keys.insert(case_.query.keys.begin(), {"stream", ColumnType::kString});
    }
    find_gap_columns();
    for (const Words& words : rows_) {
      if (words[0] == "every") {
        add_periodic_rows(words);
      } else {
        case_.steps.push_back(make_step(words));
      }
    }
    for (const Words& words : results_) case_.results.push_back(make_result(words));
    for (const Words& words : late_) case_.late.push_back(make_late_row(words));
    sort_canonically(case_.results);
    return std::move(case_);
  }

 private:
  // What is not a column, a window or an aggregate of the query.
  bool add_option(const Words& words) {
    WindowQuery& query = case_.query;
    const std::string& word = words[0];
    if (word == "delay") {
      query.delay = time_of(words.at(1));
    } else if (word == "lateness") {
      query.lateness = time_of(words.at(1));
    } else if (word == "early") {
      query.early = parse_early(words.at(1));
    } else if (word == "accumulate") {
      query.accumulation = parse_accumulation(words.at(1));
    } else if (word == "repeat_unchanged") {
      query.repeat_unchanged = true;
    } else if (word == "panes") {
      query.reports_panes = true;
    } else if (word == "zone") {
      query.zone = words.at(1);
    } else if (word == "watermarks") {
      query.watermarks = parse_watermarks(words.at(1));
    } else if (word == "max_ahead") {
      query.max_ahead = time_of(words.at(1));
    } else {
      return false;
    }
    return true;
  }

  void find_gap_columns() {
    for (WindowSpec& spec : case_.query.windows) {
      if (!spec.gap_column.empty()) spec.gap_input = input_of(spec.gap_column);
    }
  }

  int input_of(const std::string& name) const {
    const auto& values = case_.query.values;
    const auto field = std::find_if(values.begin(), values.end(),
                                    [&](const Field& value) { return value.name == name; });
    if (field == values.end()) throw BadTable(fmt::format("no value column '{}'", name));
    return static_cast<int>(field - values.begin());
  }

  void add_aggregate(const Words& words) {
    AggregateSpec spec;
    spec.function = parse_function(words.at(1));
    spec.name = words.at(1);
    if (words.size() > 2) {
      spec.input = input_of(words[2]);
      spec.name += "_" + words[2];
    }
    if (words.size() > 3) {
      spec.parameter = std::stod(words[3]);
      spec.name += "_" + words[3];
    }
    case_.query.aggregates.push_back(std::move(spec));
  }

  void add_to_block(const Words& words) {
    if (block_ == "rows") {
      if (words[0] == "watermark") case_.has_filler = true;
      rows_.push_back(words);
    } else if (block_ == "results") {
      results_.push_back(words);
    } else if (block_ == "late") {
      late_.push_back(words);
    } else {
      throw BadTable(fmt::format("unknown word '{}'", words[0]));
    }
  }

  void add_periodic_rows(const Words& words) {
    const EventTime period = time_of(words.at(1));
    const EventTime end = time_of(words.at(3));
    for (EventTime time = time_of(words.at(2)); time < end; time += period) {
      case_.steps.emplace_back(Row{time, make_cells(words, 4, row_cells())});
    }
  }

  CaseStep make_step(const Words& words) const {
    if (words[0] == "fired") return FiredStep{std::stoull(words.at(1))};
    if (words[0] != "watermark") return make_row(words);
    FillerStep filler;
    filler.row.time = time_of(words.at(1)) + case_.query.delay + 1;
    filler.row.cells.resize(row_cells().size());
    filler.row.cells[0] = kFillerStream;
    for (const WindowSpec& spec : case_.query.windows) {
      if (spec.gap_input == WindowSpec::kFixedGap) continue;
      filler.row.cells[case_.query.keys.size() + static_cast<std::size_t>(spec.gap_input)] =
          INT64_C(1);
    }
    return filler;
  }

  // Reads the cells of `schema` from words[from] on; words are exactly used up.
  std::vector<Cell> make_cells(const Words& words, std::size_t from, const Schema& schema) const {
    std::vector<Cell> cells;
    std::size_t next = from;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      if (i == 0 && case_.has_filler) {
        cells.emplace_back(kOwnStream);
      } else {
        if (next >= words.size()) throw BadTable(fmt::format("too few cells: {}", words[0]));
        cells.push_back(parse_cell(words[next++], schema[i].type));
      }
    }
    if (next != words.size()) throw BadTable(fmt::format("too many cells: {}", words[0]));
    return cells;
  }

  // What a late row consists of.
  Schema late_cells() const {
    Schema schema = case_.query.row_schema();
    schema.resize(case_.query.watermark_column());
    return schema;
  }
  // What a row consists of: watermarks only where rows bring them.
  Schema row_cells() const {
    const bool punctuated = case_.query.watermarks == WatermarkKind::kPunctuated;
    return punctuated ? case_.query.row_schema() : late_cells();
  }

  Row make_row(const Words& words) const {
    return {time_of(words[0]), make_cells(words, 1, row_cells())};
  }
  Row make_late_row(const Words& words) const {
    return {time_of(words[0]), make_cells(words, 1, late_cells())};
  }

  ResultRow make_result(const Words& words) const {
    ResultRow result;
    const std::size_t first = case_.query.windows.size() > 1 ? 1 : 0;
    if (first == 1) result.window = static_cast<std::uint32_t>(std::stoul(words[0]));
    result.start = time_of(words.at(first));
    result.end = time_of(words.at(first + 1));
    Schema schema = case_.query.result_schema();
    schema.erase(schema.begin(), schema.begin() + 2);
    const std::vector<Cell> cells = make_cells(words, first + 2, schema);
    const auto keys = static_cast<std::ptrdiff_t>(case_.query.keys.size());
    result.keys.assign(cells.begin(), cells.begin() + keys);
    result.aggregates.assign(cells.begin() + keys, cells.end());
    return result;
  }

  GoldenCase case_;
  std::string block_;
  std::vector<Words> rows_;
  std::vector<Words> results_;
  std::vector<Words> late_;
};

std::vector<GoldenCase> read_cases(std::istream& stream, const std::string& path,
                                   std::size_t& line_number) {
  std::vector<CaseBuilder> builders;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    const Words words = split(line);
    if (words.empty()) continue;
    if (words[0] == "case") {
      GoldenCase golden;
      golden.file = path.substr(path.rfind('/') + 1);
      golden.line = line_number;
      golden.name = line.substr(5);
      builders.emplace_back(std::move(golden));
    } else if (builders.empty()) {
      throw BadTable("a table begins with 'case'");
    } else {
      builders.back().add(words);
    }
  }
  std::vector<GoldenCase> cases;
  for (CaseBuilder& builder : builders) cases.push_back(builder.finish());
  return cases;
}

// 2026-10-01T00:30:00.250+08:00 or ...Z.
Expected<EventTime> parse_iso_time(const std::string& text) {
  std::istringstream stream(text);
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  char mark = 0;
  stream >> year >> mark >> month >> mark >> day >> mark >> hour >> mark >> minute >> mark >>
      second;
  int zone_hours = 0;
  stream >> mark;
  if (mark != 'Z') {
    stream.unget();
    stream >> zone_hours;
  }
  if (!stream) return make_error(fmt::format("'{}' is not a time", text));
  const date::sys_days midnight = date::year(year) / date::month(month) / date::day(day);
  const auto instant = midnight + std::chrono::hours(hour - zone_hours) +
                       std::chrono::minutes(minute) +
                       std::chrono::milliseconds(std::llround(second * 1000));
  return instant.time_since_epoch().count();
}

}  // namespace

Expected<EventTime> parse_case_time(const std::string& text) {
  EventTime time = 0;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, time);
  if (number.ec == std::errc() && number.ptr == end) return time;
  if (text == "-inf") return kNoWatermark;
  if (text == "inf") return kEndOfTime;
  if (text.find('T') == std::string::npos) return parse_duration(text);
  return parse_iso_time(text);
}

Expected<std::vector<GoldenCase>> load_case_table(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return make_error(fmt::format("cannot read {}", path));
  std::size_t line_number = 0;
  try {
    return read_cases(stream, path, line_number);
  } catch (const std::exception& error) {
    return make_error(fmt::format("{}, by line {}: {}", path, line_number, error.what()));
  }
}

}  // namespace tidemark::test_support
