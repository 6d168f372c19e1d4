#include "property/random_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace tidemark::test_support {
namespace {

void add_columns(Random& random, WindowQuery& query) {
  for (std::int64_t i = between(random, 0, 3); i > 0; --i) {
    query.keys.push_back(
        {fmt::format("k{}", i), one_of(random, {ColumnType::kInt64, ColumnType::kString})});
  }
  for (std::int64_t i = between(random, 1, 3); i > 0; --i) {
    query.values.push_back(
        {fmt::format("v{}", i), one_of(random, {ColumnType::kInt64, ColumnType::kDouble})});
  }
  for (WindowSpec& spec : query.windows) {
    if (spec.gap_column.empty()) continue;
    if (query.values.back().name != spec.gap_column) {
      query.values.push_back({spec.gap_column, ColumnType::kInt64});
    }
    spec.gap_input = static_cast<int>(query.values.size()) - 1;
  }
  if (chance(random, 0.3)) query.carried.push_back({"note", ColumnType::kString});
}

void add_aggregates(Random& random, WindowQuery& query) {
  const bool invertible_only = chance(random, 0.4);
  for (std::int64_t i = between(random, 1, 6); i > 0; --i) {
    AggregateSpec spec;
    spec.function = invertible_only
                        ? one_of(random, {AggregateFunction::kCount, AggregateFunction::kSum,
                                          AggregateFunction::kAvg})
                        : one_of(random, {AggregateFunction::kCount, AggregateFunction::kSum,
                                          AggregateFunction::kMin, AggregateFunction::kMax,
                                          AggregateFunction::kAvg});
    const bool rows = spec.function == AggregateFunction::kCount && chance(random, 0.5);
    const auto last = static_cast<std::int64_t>(query.values.size()) - 1;
    spec.input = rows ? AggregateSpec::kRows : static_cast<int>(between(random, 0, last));
    spec.name = fmt::format("a{}", i);
    query.aggregates.push_back(std::move(spec));
  }
}

std::int64_t random_delay(Random& random, std::int64_t unit) {
  switch (between(random, 0, 9)) {
    case 0:
      return kMaxDurationMs;
    case 1:
      return between(random, 1, 2000 * unit);
    case 2:
    case 3:
      return between(random, 1, 40 * unit);
    case 4:
    case 5:
      return between(random, 1, unit);
    default:
      return 0;
  }
}

// How the rows of one stream look.
struct StreamShape {
  std::int64_t step;
  std::int64_t disorder;
  double jump_share;
  std::int64_t keys;
  double null_share;
  bool large_integers;
};

// About how long windows of a specification are, in ms.
std::int64_t length_of(const WindowSpec& spec, std::int64_t unit) {
  if (spec.unit != CalendarUnit::kNone) return INT64_C(30) * 86'400'000;
  if (spec.kind == WindowKind::kCount || spec.size == 0) return 10 * unit;
  return spec.size;
}

class StreamMaker {
 public:
  StreamMaker(Random& random, const WindowQuery& query, std::int64_t unit,
              const ScenarioShape& scenario)
      : random_(random), query_(query), unit_(unit), doubles_(scenario.doubles) {
    shape_.step = between(random, 0, 4 * unit);
    // Up to some size, so that windows lose some rows and sliding ones lose part of a row's
    // windows.
    const std::int64_t longest = length_of(query.windows.front(), unit);
    shape_.disorder = one_of(random, {INT64_C(0), unit, longest, 3 * longest, 200 * unit});
    shape_.jump_share = one_of(random, {0.0, 0.0, 0.02});
    shape_.keys = one_of(random, {INT64_C(1), INT64_C(3), INT64_C(40), INT64_C(5000)});
    shape_.null_share = one_of(random, {0.0, 0.1, 0.6});
    shape_.large_integers = scenario.large_integers && chance(random, 0.2);
    now_ = one_of(random, {INT64_C(0), -300 * unit, INT64_C(-123'456'789'000),
                           INT64_C(1'790'726'400'000), kMinEventTime + 10'000 * unit});
    if (!scenario.starts.empty()) {
      const auto last = static_cast<std::int64_t>(scenario.starts.size()) - 1;
      now_ = scenario.starts[static_cast<std::size_t>(between(random, 0, last))];
      now_ -= between(random, 0, 40 * unit);
    }
  }

  std::vector<Row> make(std::int64_t count) {
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < count; ++i) {
      now_ += between(random_, 0, shape_.step);
      if (chance(random_, shape_.jump_share)) {
        now_ += between(random_, 1, INT64_C(40'000'000'000));
      }
      rows.push_back(make_row(now_ - between(random_, 0, shape_.disorder)));
    }
    return rows;
  }

 private:
  Row make_row(EventTime time) {
    Row row{std::clamp(time, kMinEventTime, kMaxEventTime), {}};
    for (const Field& field : query_.keys) row.cells.push_back(make_key(field.type));
    for (const Field& field : query_.values) row.cells.push_back(make_value(field));
    for (std::size_t i = 0; i < query_.carried.size(); ++i) row.cells.push_back(make_string());
    return row;
  }

  Cell make_key(ColumnType type) {
    if (chance(random_, shape_.null_share / 2)) return kNull;
    if (type == ColumnType::kString) return make_string();
    return between(random_, -shape_.keys / 2, shape_.keys / 2) * 1000;
  }

  // Short and long, empty, with bytes that are not letters.
  std::string make_string() {
    const std::int64_t number = between(random_, 0, shape_.keys);
    if (number == 0) return {};
    std::string text(static_cast<std::size_t>(number % 23), static_cast<char>(number % 3));
    return text + fmt::format("{}", number);
  }

  Cell make_value(const Field& field) {
    if (field.name == "gap") return between(random_, 1, one_of(random_, {unit_, 30 * unit_}));
    if (chance(random_, shape_.null_share)) return kNull;
    return field.type == ColumnType::kInt64 ? make_integer() : make_double();
  }

  Cell make_integer() {
    if (!shape_.large_integers) return between(random_, -1000, 1000);
    return between(random_, std::numeric_limits<std::int64_t>::min(),
                   std::numeric_limits<std::int64_t>::max()) /
           one_of(random_, {INT64_C(1), INT64_C(8)});
  }

  Cell make_double() {
    if (doubles_ == DoubleInputs::kArbitrary) {
      return std::exp(std::uniform_real_distribution<double>(-12, 20)(random_));
    }
    if (doubles_ == DoubleInputs::kWithNan && chance(random_, 0.1)) {
      const double infinity = std::numeric_limits<double>::infinity();
      return one_of(random_, {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity});
    }
    return static_cast<double>(between(random_, -80'000, 80'000)) / 8;
  }

  Random& random_;
  const WindowQuery& query_;
  std::int64_t unit_;
  DoubleInputs doubles_;
  StreamShape shape_{};
  EventTime now_ = 0;
};

std::string schema_text(const Schema& schema) {
  std::string text;
  for (const Field& field : schema) {
    text += fmt::format(" {}:{}", field.name, static_cast<int>(field.type));
  }
  return text;
}

}  // namespace

std::string Scenario::to_text() const {
  std::string text = fmt::format(
      "delay={} lateness={} early={}:{} {} repeat={} panes={} zone={} keys={} values={} windows:",
      query.delay, query.lateness, static_cast<int>(query.early.kind), query.early.amount,
      tidemark::to_string(query.accumulation), query.repeat_unchanged, query.reports_panes,
      query.zone, schema_text(query.keys), schema_text(query.values));
  for (const WindowSpec& spec : query.windows) text += " (" + tidemark::to_string(spec) + ")";
  text += " aggregates:";
  for (const AggregateSpec& spec : query.aggregates) {
    text += fmt::format(" {}({})", tidemark::to_string(spec.function), spec.input);
  }
  return text + fmt::format(" rows={}", rows.size());
}

Scenario random_scenario(Random& random, DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  return random_scenario(random, shape);
}

Scenario random_scenario(Random& random, const ScenarioShape& shape) {
  Scenario scenario;
  WindowQuery& query = scenario.query;
  const auto last_unit = static_cast<std::int64_t>(shape.units.size()) - 1;
  const std::int64_t unit = shape.units[static_cast<std::size_t>(between(random, 0, last_unit))];
  for (std::int64_t i = one_of(random, {1, 1, 1, 2, 3}); i > 0; --i) {
    query.windows.push_back(shape.window(random, unit));
  }
  add_columns(random, query);
  add_aggregates(random, query);
  query.delay = random_delay(random, unit);
  if (shape.settings) shape.settings(random, query, unit);
  StreamMaker maker(random, query, unit, shape);
  const std::int64_t most = one_of(
      random, {INT64_C(1), INT64_C(60), INT64_C(600), INT64_C(600), INT64_C(600), INT64_C(3000)});
  scenario.rows = maker.make(between(random, 0, most));
  return scenario;
}

RunSettings random_settings(Random& random) {
  RunSettings settings;
  settings.pipeline.cores = static_cast<std::size_t>(between(random, 1, 4));
  settings.pipeline.batch_rows =
      static_cast<std::size_t>(chance(random, 0.2) ? 1024 : between(random, 1, 64));
  settings.pipeline.channel_batches = static_cast<std::size_t>(between(random, 1, 4));
  settings.pipeline.linger = std::chrono::milliseconds(one_of(random, {0, 1, 5}));
  // A yield on a loaded machine costs a turn of everyone else, so most runs park at once.
  settings.pipeline.ladder.spins = one_of(random, {0U, 64U});
  settings.pipeline.ladder.yields = one_of(random, {0U, 0U, 0U, 16U});
  settings.pipeline.ladder.park = chance(random, 0.97);
  if (chance(random, 0.25)) settings.pipeline.random_yields = random();
  settings.pace.seed = random();
  settings.pace.longest_run = static_cast<std::size_t>(one_of(random, {1, 10, 2000}));
  settings.pace.pending_share = one_of(random, {0.0, 0.0, 0.05, 0.3});
  settings.sink_per_worker = chance(random, 0.3);
  settings.pipeline.local_aggregation =
      one_of(random, {LocalAggregation::kWhenItPays, LocalAggregation::kAlways,
                      LocalAggregation::kAlternating, LocalAggregation::kNever});
  settings.pipeline.key_collection =
      one_of(random, {KeyCollection::kAlways, KeyCollection::kAlways, KeyCollection::kAlways,
                      KeyCollection::kNever, KeyCollection::kWhenDue});
  return settings;
}

std::vector<Strategy> allowed_strategies(WindowQuery query) {
  std::vector<Strategy> allowed;
  for (const Strategy strategy :
       {Strategy::kAuto, Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
        Strategy::kTwoStacks, Strategy::kWorstCase, Strategy::kBaseIntervals}) {
    query.strategy = strategy;
    if (validate(query)) allowed.push_back(strategy);
  }
  return allowed;
}

std::vector<std::vector<Row>> deal(Random& random, const std::vector<Row>& rows,
                                   std::size_t count) {
  std::vector<std::vector<Row>> partitions(count);
  std::uniform_int_distribution<std::size_t> partition(0, count - 1);
  for (const Row& row : rows) partitions[partition(random)].push_back(row);
  return partitions;
}

}  // namespace tidemark::test_support
