#include "tidemark/connectors/window_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tidemark/connectors/csv_text.h"
#include "tidemark/connectors/file_source.h"
#include "tidemark/connectors/order_source.h"
#include "tidemark/connectors/stream_expectation.h"

namespace tidemark {

namespace {

constexpr std::string_view kGeneratorPrefix = "gen:";

TextUse use_of_text(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCount:
      return TextUse::kPresence;
    case AggregateFunction::kApproxDistinct:
      return TextUse::kHash;
    case AggregateFunction::kCountDistinct:
      return TextUse::kIdentity;
    case AggregateFunction::kFirst:
    case AggregateFunction::kLast:
    case AggregateFunction::kCollect:
      return TextUse::kShown;
    default:
      return TextUse::kNone;
  }
}

// What serves both; nothing if the text would have to be read twice.
std::optional<TextUse> shared_use(TextUse a, TextUse b) {
  if (a == b || b == TextUse::kPresence) return a;
  if (a == TextUse::kPresence) return b;
  if (a == TextUse::kNone || b == TextUse::kNone) return TextUse::kNone;
  return std::nullopt;
}

bool same_value(const CsvValueInput& a, const CsvValueInput& b) {
  if (a.column != b.column || a.is_gap != b.is_gap || !shared_use(a.text, b.text)) return false;
  if (a.filter.has_value() != b.filter.has_value()) return false;
  return !a.filter || (a.filter->column == b.filter->column && a.filter->op == b.filter->op &&
                       a.filter->literal == b.filter->literal &&
                       a.filter->literal_is_text == b.filter->literal_is_text);
}

// Index of `value` in `values`, where equal inputs share a place.
int place_of(CsvValueInput value, std::vector<CsvValueInput>& values) {
  const auto same = std::find_if(values.begin(), values.end(), [&](const CsvValueInput& other) {
    return same_value(value, other);
  });
  const auto index = static_cast<int>(same - values.begin());
  if (same == values.end()) {
    values.push_back(std::move(value));
  } else {
    same->text = *shared_use(same->text, value.text);
  }
  return index;
}

// The value columns that the aggregates read, and the aggregates over them.
std::vector<CsvValueInput> bind_aggregates(const std::vector<AggregateRequest>& requests,
                                           std::vector<AggregateSpec>& aggregates) {
  std::vector<CsvValueInput> values;
  for (const AggregateRequest& request : requests) {
    AggregateSpec spec{request.function, AggregateSpec::kRows, request.name, request.parameter};
    if (request.column || request.condition) {
      CsvValueInput value;
      value.column = request.column.value_or("");
      value.text = use_of_text(request.function);
      if (const auto& condition = request.condition) {
        value.filter =
            CsvFilter{condition->column, condition->op, condition->value, condition->value_is_text};
      }
      spec.input = place_of(std::move(value), values);
    }
    aggregates.push_back(std::move(spec));
  }
  return values;
}

// The windows of the query, and the value columns that hold gaps of sessions.
std::vector<WindowSpec> bind_gaps(const std::vector<WindowSpec>& windows,
                                  std::vector<CsvValueInput>& values) {
  std::vector<WindowSpec> bound = windows;
  for (WindowSpec& window : bound) {
    if (window.gap_column.empty()) continue;
    window.gap_input =
        place_of({.column = window.gap_column, .filter = {}, .is_gap = true}, values);
  }
  return bound;
}

std::string header_line(const std::vector<std::string>& columns) {
  fmt::memory_buffer line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line.push_back(',');
    append_csv_field(columns[i], line);
  }
  return fmt::to_string(line);
}

FileSourceOptions file_options(const WindowInputOptions& options,
                               std::vector<CsvValueInput> values) {
  FileSourceOptions file;
  file.format = options.format;
  file.json_rows = options.json_rows;
  file.path = options.input == "-" ? "" : options.input;
  file.time_column = options.time_column;
  file.time = options.time;
  file.watermark_column = options.watermark_column;
  file.max_ahead = options.query.max_ahead;
  file.keys = options.keys;
  file.values = std::move(values);
  file.types = options.types;
  file.carry_raw = options.carry_text;
  file.bad_rows = options.bad_rows;
  file.on_bad = options.on_bad;
  file.bytes_taken = options.bytes_taken;
  file.threads = std::max<std::size_t>(options.cores, 1);
  file.cpus = options.cpus;
  file.cancellation = options.cancellation;
  return file;
}

Expected<WindowInput> open_file(const WindowInputOptions& options) {
  const bool has_times = options.query.time_domain == TimeDomain::kEvent;
  if (has_times && options.time_column.empty()) {
    return make_error(
        "which column holds the event time is not said; name it with --time COL, or say "
        "--time-domain processing to go by the clock");
  }
  WindowInput input;
  std::vector<CsvValueInput> values = bind_aggregates(options.aggregates, input.aggregates);
  input.windows = bind_gaps(options.query.windows, values);
  const auto value_count = static_cast<std::ptrdiff_t>(values.size());
  Expected<std::unique_ptr<FileSource>> source =
      FileSource::open(file_options(options, std::move(values)));
  if (!source) return tl::unexpected(source.error());
  const CsvPlan& plan = (*source)->plan();
  const auto keys_end = plan.schema.begin() + static_cast<std::ptrdiff_t>(options.keys.size());
  input.keys.assign(plan.schema.begin(), keys_end);
  input.values.assign(keys_end, keys_end + value_count);
  input.carried.assign(keys_end + value_count, plan.schema.end() - (plan.watermark_column ? 1 : 0));
  for (const CsvPlan::Value& value : plan.values) input.texts.push_back(value.dictionary);
  input.name = (*source)->name();
  input.text_is_json = options.format != FileFormat::kCsv;
  if (options.carry_text) {
    input.header = input.text_is_json ? std::string("row") : header_line(plan.columns);
  }
  if (plan.detected_unit) input.detected_unit = plan.detected_unit->unit;
  input.time_warning = plan.time_warning;
  input.partitions.push_back(*std::move(source));
  return input;
}

double different_values(OrderColumn column, const OrdersConfig& orders) {
  switch (column) {
    case OrderColumn::kAmount:
    case OrderColumn::kCents:
      return static_cast<double>(OrderGenerator::kLargestAmount);
    case OrderColumn::kOrderId:
      return StreamShape::kAllDifferent;
    case OrderColumn::kTime:
      return orders.rate <= 1000 ? StreamShape::kAllDifferent : 0;
    default:
      return 0;
  }
}

Expected<void> bind_order_columns(const WindowInputOptions& options,
                                  const std::vector<CsvValueInput>& values, WindowInput& input,
                                  std::vector<OrderValue>& columns) {
  for (const std::string& name : options.keys) {
    const Expected<OrderColumnInfo> info = find_order_column(name);
    if (!info) return tl::unexpected(info.error());
    if (info->type == ColumnType::kDouble) {
      return make_error(
          fmt::format("{} is not a whole number or text, so it cannot be a key", name));
    }
    input.keys.push_back({name, info->type});
    columns.push_back({info->column});
  }
  for (const CsvValueInput& value : values) {
    // What is only counted may be any column that is never NULL, as none is.
    Expected<OrderColumnInfo> info =
        find_order_column(value.column.empty() ? "order_id" : value.column);
    if (!info) return tl::unexpected(info.error());
    if (info->type == ColumnType::kString) {
      if (value.text != TextUse::kPresence) {
        return make_error(
            fmt::format("{} is text, of which generated orders have only count", value.column));
      }
      info = find_order_column("order_id");
    }
    OrderValue column{info->column};
    if (const auto& filter = value.filter) {
      Expected<OrderCondition> condition = parse_order_condition(
          filter->column, filter->op, filter->literal, filter->literal_is_text);
      if (!condition) return tl::unexpected(condition.error());
      column.condition = *std::move(condition);
    }
    input.values.push_back({value.column, info->type});
    columns.push_back(std::move(column));
  }
  return {};
}

// Whether the results are the same if the rows come as several partitions: none can be late, and
// nothing depends on the order of rows.
bool may_be_dealt_out(const WindowQuery& query, std::int64_t disorder) {
  if (query.carries_watermarks() || query.max_ahead) return false;
  return query.time_domain == TimeDomain::kProcessing || query.watermarks == WatermarkKind::kNone ||
         disorder <= query.delay;
}

Expected<WindowInput> open_generator(const WindowInputOptions& options) {
  const Expected<OrderSourceConfig> config =
      parse_order_source(std::string_view(options.input).substr(kGeneratorPrefix.size()));
  if (!config) return tl::unexpected(config.error());
  if (!options.time_column.empty() && options.time_column != "ts") {
    return make_error(
        fmt::format("the event time of generated orders is ts, not {}", options.time_column));
  }
  if (!options.types.empty()) {
    return make_error(
        fmt::format("the columns of generated orders have their types, so {} gets none",
                    options.types.front().first));
  }
  if (!options.watermark_column.empty()) {
    return make_error("generated orders bring no watermarks; write them to csv and add a column");
  }
  WindowInput input;
  input.name = options.input;
  input.windows = options.query.windows;
  for (const WindowSpec& window : input.windows) {
    if (window.gap_column.empty()) continue;
    return make_error(fmt::format(
        "sessions whose gap is in a column need a csv input; generated orders have no gaps in {}",
        window.gap_column));
  }
  const std::vector<CsvValueInput> values = bind_aggregates(options.aggregates, input.aggregates);
  std::vector<OrderValue> columns;
  if (auto bound = bind_order_columns(options, values, input, columns); !bound) {
    return tl::unexpected(bound.error());
  }
  const OrdersConfig& orders = config->orders;
  input.rows = orders.rows;
  if (options.keys.empty()) {
    input.stream = expected_stream(1, orders.rate, Skew{}, orders.disorder);
  } else if (options.keys == std::vector<std::string>{"user_id"}) {
    input.stream = expected_stream(orders.keys, orders.rate, orders.skew, orders.disorder);
  }
  if (input.stream) {
    for (std::size_t i = input.keys.size(); i < columns.size(); ++i) {
      input.stream->different_values.push_back(
          columns[i].condition ? 0 : different_values(columns[i].column, orders));
    }
  }
  const std::size_t shards = may_be_dealt_out(options.query, orders.disorder)
                                 ? std::max<std::size_t>(options.cores, 1)
                                 : 1;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    input.partitions.push_back(std::make_unique<OrderPartition>(*config, columns, shard, shards));
  }
  return input;
}

}  // namespace

Expected<WindowInput> open_window_input(const WindowInputOptions& options) {
  return options.input.starts_with(kGeneratorPrefix) ? open_generator(options) : open_file(options);
}

}  // namespace tidemark
