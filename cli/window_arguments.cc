#include "cli/window_arguments.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "cli/firing_arguments.h"
#include "cli/time_arguments.h"
#include "cli/user_error.h"
#include "tidemark/connectors/aggregate_list.h"
#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/operators/zone_clock.h"

namespace tidemark::cli {

namespace {

constexpr const char* kInputGroup = "Input";
constexpr const char* kJobGroup = "Job";
constexpr const char* kOutputGroup = "Output";

void add_input_options(CLI::App& command, WindowArguments& arguments) {
  command
      .add_option(
          "INPUT", arguments.input,
          "a csv file with a header line, a json or ndjson file, - for standard input, or "
          "gen:orders?rows=N&keys=K&... with the columns order_id, user_id, amount, cents, ts and "
          "country")
      ->required();
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->group(kInputGroup);
  };
  add("--format", arguments.format,
      "csv, json (an array of objects) or ndjson (one object a line); default: from the file's "
      "ending (.json, .geojson; .ndjson, .jsonl), else csv");
  add("--json-rows", arguments.json_rows,
      "json: pointer to the array of rows in the document, such as /features");
  add("--time", arguments.time_column,
      "column of the event time; with json any column may be a pointer such as /properties/time");
  add("--time-unit", arguments.time_unit,
      "auto, s, ms, us, ns or text; auto looks at the first rows and says what it chose");
  add("--time-format", arguments.time_format,
      "strftime-like format of text times; default ISO 8601 and YYYY-MM-DD HH:MM[:SS[.fff]]");
  add("--input-zone", arguments.input_zone, "zone of text times that carry none; default UTC");
  command
      .add_option("--type", arguments.types,
                  "COL=int or COL=double: type of a value column, repeatable; default: int if all "
                  "of the first rows have whole numbers")
      ->group(kInputGroup)
      ->allow_extra_args(false);
  add("--on-bad", arguments.on_bad, "skip (default) or fail: what to do at a row that is bad");
}

void add_job_options(CLI::App& command, WindowArguments& arguments) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->group(kJobGroup);
  };
  add("--key", arguments.keys, "group columns COL[,COL...]; none: one group");
  add("--window", arguments.windows,
      "'tumbling size=1d [offset=-8h]', 'sliding size=1h slide=5m [offset=..]' or 'cumulate "
      "size=1d step=6h [offset=..]'; by the calendar 'tumbling size=1week [first_day=sunday]', "
      "size=1month or size=1year; 'session gap=30m' or 'session gap_column=COL'; 'count size=100 "
      "[slide=10]', in rows; 'global'; repeatable")
      ->required()
      ->allow_extra_args(false);
  add("--zone", arguments.zone,
      "cut windows and print times on the wall clock of this IANA zone, such as Asia/Shanghai; "
      "default UTC");
  add("--agg", arguments.aggregates,
      "a list of count, sum(x), min(x), max(x), avg(x), variance(x), stddev(x), first(x), last(x), "
      "median(x), quantile(x, 0.9), approx_quantile(x, 0.9), count_distinct(x), "
      "approx_distinct(x), top_k(x, 3) and others, each with an optional `as NAME` and `where COL "
      "OP VALUE`; default count");
  add("--strategy", arguments.strategy,
      "how windows share work: auto (default), buckets, recompute, subtract, two-stacks, "
      "worst-case or base-intervals");
  add("--stream", arguments.stream,
      "what the rows are like, as keys=10k&rate=5000[&skew=zipf:1.1]: for predicted costs and the "
      "choice of a strategy; gen: inputs say it themselves");
  add("--cores", arguments.cores, "default: what the affinity mask and the cgroup allow");
}

void add_output_options(CLI::App& command, WindowArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->group(kOutputGroup);
  };
  const auto add_flag = [&](const char* name, bool& value, const char* help) {
    command.add_flag(name, value, help)->group(kOutputGroup);
  };
  add("--output", arguments.output, "a file, or - for standard output (default)");
  add("--output-format", arguments.output_format,
      "csv, json (one object a line) or table; default: table on a terminal, else csv");
  add("--times", arguments.times, "iso (default) or ms");
  add("--late-output", arguments.late_output, "file for late rows, as read plus the reason");
  add("--bad-output", arguments.bad_output, "file for bad rows: line number, reason, raw text");
  add_flag("--unordered", arguments.unordered,
           "emit as produced; otherwise rows come by window end, window start, then key");
  add("--summary", arguments.summary, "file for the run's figures as one JSON object");
  add_flag("--quiet", arguments.quiet, "no summary and no notes on standard error");
  add("--metrics", arguments.metrics,
      "serve live figures for Prometheus, such as at 127.0.0.1:9464; port 0: any that is free");
  add_flag(
      "--progress", arguments.progress,
      "rate, watermark, late rows and time left on standard error; default on a terminal only");
  add_flag("--no-progress", arguments.no_progress, "no progress line");
}

WindowSpec window_of(const std::string& text) {
  Expected<WindowSpec> spec = parse_window_spec(text);
  if (!spec) {
    const std::string& message = spec.error().message;
    throw UserError((message.starts_with("window '") ? "--" : "--window: ") + message);
  }
  return *spec;
}

// Empty for UTC.
std::string zone_of(const WindowArguments& arguments) {
  const auto clock = ZoneClock::of(arguments.zone);
  if (!clock) throw UserError("--zone: " + clock.error().message);
  return arguments.zone == "UTC" || arguments.zone == "Z" ? "" : arguments.zone;
}

std::vector<AggregateRequest> aggregates_of(const WindowArguments& arguments) {
  Expected<std::vector<AggregateRequest>> list = parse_aggregate_list(arguments.aggregates);
  if (!list) throw UserError("--agg: " + list.error().message);
  return *std::move(list);
}

std::vector<std::pair<std::string, ColumnType>> types_of(const WindowArguments& arguments) {
  std::vector<std::pair<std::string, ColumnType>> types;
  for (const std::string& text : arguments.types) {
    const std::size_t equals = text.rfind('=');
    const std::string type = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (type != "int" && type != "double") {
      throw UserError(fmt::format("--type must be COL=int or COL=double, not {}", text));
    }
    types.emplace_back(text.substr(0, equals),
                       type == "int" ? ColumnType::kInt64 : ColumnType::kDouble);
  }
  return types;
}

// As told, or by the ending of the input's name.
FileFormat format_of(const WindowArguments& arguments) {
  const std::string_view input = arguments.input;
  std::string format = arguments.format;
  if (format.empty() && !input.starts_with("gen:")) {
    if (input.ends_with(".json") || input.ends_with(".geojson")) format = "json";
    if (input.ends_with(".ndjson") || input.ends_with(".jsonl")) format = "ndjson";
  }
  if (!arguments.json_rows.empty() && format != "json") {
    throw UserError("--json-rows is for --format json, where the rows are in one document");
  }
  if (format == "json") return FileFormat::kJson;
  if (format == "ndjson") return FileFormat::kJsonLines;
  if (format.empty() || format == "csv") return FileFormat::kCsv;
  throw UserError(fmt::format("--format must be csv, json or ndjson, not {}", format));
}

EventTimeOptions event_time_of(const WindowArguments& arguments) {
  EventTimeOptions options;
  options.unit = value_or_throw(parse_time_unit(arguments.time_unit));
  options.format = arguments.time_format;
  options.zone = arguments.input_zone;
  return options;
}

OnBadRow on_bad_of(const WindowArguments& arguments) {
  if (arguments.on_bad == "skip") return OnBadRow::kSkip;
  if (arguments.on_bad == "fail") return OnBadRow::kFail;
  throw UserError(fmt::format("--on-bad must be skip or fail, not {}", arguments.on_bad));
}

// Splits `a,b,c`; names with commas stand in double quotes.
std::vector<std::string> split_columns(const std::string& text) {
  std::vector<std::string> columns;
  if (text.empty()) return columns;
  columns.emplace_back();
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  for (const std::string& column : columns) {
    if (column.empty()) throw UserError(fmt::format("--key {}: a column name is empty", text));
  }
  return columns;
}

}  // namespace

void add_window_options(CLI::App& command, WindowArguments& arguments) {
  add_input_options(command, arguments);
  add_job_options(command, arguments);
  add_time_options(command, arguments);
  add_firing_options(command, arguments);
  add_output_options(command, arguments);
}

WindowQuery query_of(const WindowArguments& arguments) {
  WindowQuery query;
  for (const std::string& text : arguments.windows) {
    query.windows.push_back(window_of(text));
  }
  query.zone = zone_of(arguments);
  set_firing(arguments, query);
  query.strategy = value_or_throw(parse_strategy(arguments.strategy));
  set_time_rules(arguments, query);
  return query;
}

WindowInputOptions input_options_of(const WindowArguments& arguments, const WindowQuery& query) {
  WindowInputOptions options;
  options.input = arguments.input;
  options.format = format_of(arguments);
  options.json_rows = arguments.json_rows;
  options.time_column = arguments.time_column;
  options.time = event_time_of(arguments);
  options.keys = split_columns(arguments.keys);
  options.aggregates = aggregates_of(arguments);
  options.types = types_of(arguments);
  options.carry_text = !arguments.late_output.empty();
  options.on_bad = on_bad_of(arguments);
  options.query = query;
  options.watermark_column = arguments.watermark_column;
  return options;
}

ResultStyle result_style_of(const WindowArguments& arguments) {
  ResultStyle style{value_or_throw(TimeFormatter::in_zone(
                        value_or_throw(parse_time_style(arguments.times)), arguments.zone)),
                    std::nullopt};
  if (!arguments.output_format.empty()) {
    style.format = value_or_throw(parse_result_format(arguments.output_format));
  }
  return style;
}

std::optional<StreamShape> stream_of(const WindowArguments& arguments, const WindowInput& input) {
  if (arguments.stream.empty()) return input.stream;
  return value_or_throw(parse_stream_shape(arguments.stream));
}

}  // namespace tidemark::cli
