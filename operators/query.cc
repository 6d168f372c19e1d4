#include "tidemark/operators/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/shared_windows.h"
#include "tidemark/operators/trigger.h"
#include "tidemark/operators/user_aggregate.h"
#include "tidemark/operators/zone_clock.h"

namespace tidemark {

namespace {

constexpr double kMostTop = 10'000;

// Also of queries that are not known to be valid.
ColumnType input_type_of(const WindowQuery& query, const AggregateSpec& aggregate) {
  const auto input = static_cast<std::size_t>(aggregate.input);
  return input < query.values.size() ? query.values[input].type : ColumnType::kInt64;
}

Expected<void> validate_parameter(const AggregateSpec& aggregate) {
  const double parameter = aggregate.parameter;
  switch (aggregate.function) {
    case AggregateFunction::kQuantile:
    case AggregateFunction::kApproxQuantile:
      if (parameter >= 0 && parameter <= 1) return {};
      return make_error(fmt::format(
          "aggregate '{}': a quantile is a number from 0 to 1, as in quantile(x, 0.99), "
          "got {}",
          aggregate.name, parameter));
    case AggregateFunction::kTopK:
      if (parameter >= 1 && parameter <= kMostTop && parameter == std::floor(parameter)) return {};
      return make_error(fmt::format(
          "aggregate '{}': top_k takes a whole number from 1 to {:.0f}, as in top_k(x, 3), got {}",
          aggregate.name, kMostTop, parameter));
    default:
      return {};
  }
}

Expected<void> validate_user(const WindowQuery& query, const AggregateSpec& aggregate) {
  if (aggregate.function != AggregateFunction::kUser) return {};
  if (aggregate.user == nullptr) {
    return make_error(fmt::format("aggregate '{}' is user-defined, but its definition is missing",
                                  aggregate.name));
  }
  if (aggregate.user->input_type() == input_type_of(query, aggregate)) return {};
  return make_error(fmt::format(
      "aggregate '{}': its definition lifts {}, and its column holds {}", aggregate.name,
      aggregate.user->input_type() == ColumnType::kDouble ? "doubles" : "integers",
      aggregate.user->input_type() == ColumnType::kDouble ? "integers" : "doubles"));
}

Expected<void> validate_aggregate(const WindowQuery& query, const AggregateSpec& aggregate) {
  const bool reads_rows = aggregate.input == AggregateSpec::kRows;
  if (reads_rows && aggregate.function != AggregateFunction::kCount) {
    return make_error(fmt::format("aggregate '{}': {} needs an input column", aggregate.name,
                                  to_string(aggregate.function)));
  }
  if (!reads_rows &&
      (aggregate.input < 0 || static_cast<std::size_t>(aggregate.input) >= query.values.size())) {
    return make_error(fmt::format("aggregate '{}': there is no value column number {}",
                                  aggregate.name, aggregate.input));
  }
  if (auto valid = validate_parameter(aggregate); !valid) return valid;
  if (auto valid = validate_user(query, aggregate); !valid) return valid;
  const AggregateAlgebra algebra = algebra_of(aggregate, input_type_of(query, aggregate));
  if (query.strategy == Strategy::kSubtract && algebra.inversion == Inversion::kNone) {
    return make_error(fmt::format(
        "strategy subtract cannot compute '{}': {} cannot be undone when rows leave the window, "
        "as {}; use two-stacks or auto",
        aggregate.name, to_string(aggregate.function), algebra.why_not_inverted));
  }
  return {};
}

Expected<void> validate_session(const WindowQuery& query, const WindowSpec& window) {
  if (query.trigger != nullptr && !query.trigger->can_merge()) {
    return make_error(
        "sessions merge, and the trigger cannot: use one that can, such as after_count");
  }
  if (window.size > 0) return {};
  const auto input = static_cast<std::size_t>(window.gap_input);
  if (window.gap_input < 0 || input >= query.values.size()) {
    return make_error(
        fmt::format("window '{}': there is no value column for the gap", to_string(window)));
  }
  if (query.values[input].type != ColumnType::kInt64) {
    return make_error(
        fmt::format("window '{}': gaps are whole numbers of ms, but column {} is of doubles",
                    to_string(window), query.values[input].name));
  }
  return {};
}

Expected<void> validate_count_window(const WindowQuery& query, const WindowSpec& window) {
  const bool fires_otherwise = query.trigger != nullptr || query.evictor != nullptr ||
                               query.early.kind != EarlyFiring::Kind::kNone;
  if (!fires_otherwise) return {};
  return make_error(fmt::format(
      "window '{}' fires by its number of rows: it takes no early firing, trigger or evictor; "
      "use a global window for those",
      to_string(window)));
}

// What a window asks of the rest of the query.
Expected<void> validate_in_query(const WindowQuery& query, const WindowSpec& window) {
  if (query.strategy != Strategy::kAuto && query.strategy != Strategy::kBuckets) {
    if (const auto why = query.leaves_shared_path(window)) {
      return make_error(fmt::format("window '{}' cannot use strategy {}: {}; use auto or buckets",
                                    to_string(window), to_string(query.strategy), *why));
    }
  }
  if (window.kind == WindowKind::kSession) return validate_session(query, window);
  if (window.kind == WindowKind::kCount) return validate_count_window(query, window);
  return {};
}

Expected<void> validate_firing(const WindowQuery& query) {
  if (query.lateness < 0) {
    return make_error(
        fmt::format("allowed lateness must not be negative, got {} ms", query.lateness));
  }
  const bool early = query.early.kind != EarlyFiring::Kind::kNone;
  if (early && query.early.amount <= 0) {
    return make_error(fmt::format(
        "early firings need a positive {}, got {}",
        query.early.kind == EarlyFiring::Kind::kRows ? "number of rows" : "interval in ms",
        query.early.amount));
  }
  if (early && query.trigger != nullptr) {
    return make_error("a query has either early firings or a trigger, which says when they are");
  }
  if (query.state_ttl && *query.state_ttl <= 0) {
    return make_error(fmt::format("state TTL must be positive, got {} ms", *query.state_ttl));
  }
  return {};
}

}  // namespace

Schema WindowQuery::row_schema() const {
  Schema schema = keys;
  schema.insert(schema.end(), values.begin(), values.end());
  schema.insert(schema.end(), carried.begin(), carried.end());
  if (carries_watermarks()) schema.push_back({"watermark", ColumnType::kInt64});
  return schema;
}

std::optional<std::string> WindowQuery::leaves_shared_path(const WindowSpec& window) const {
  switch (window.kind) {
    case WindowKind::kSession:
      return "the edges of sessions are not known before their rows";
    case WindowKind::kGlobal:
      return "a global window has no slices";
    case WindowKind::kCount:
      return "count windows have no edges in time";
    case WindowKind::kTumbling:
    case WindowKind::kSliding:
    case WindowKind::kCumulate:
      break;
  }
  if (trigger != nullptr) return "a trigger decides when each key's window fires";
  if (evictor != nullptr) return "an evictor needs the rows of each window";
  if (early.kind != EarlyFiring::Kind::kNone) return "early firings report single windows";
  if (state_ttl) return "the state of each key's window ends by itself";
  if (lateness > 0 && accumulation == Accumulation::kRetracting &&
      !std::all_of(aggregates.begin(), aggregates.end(), [this](const AggregateSpec& aggregate) {
        return algebra_of(aggregate, input_type_of(*this, aggregate)).exactly_associative;
      })) {
    return "what is taken back must be what was said, to the last digit";
  }
  if (lateness > 0 &&
      std::any_of(aggregates.begin(), aggregates.end(), [this](const AggregateSpec& aggregate) {
        return algebra_of(aggregate, input_type_of(*this, aggregate)).cost != CostClass::kConstant;
      })) {
    return "late rows would copy states that grow";
  }
  return std::nullopt;
}

bool WindowQuery::carries_watermarks() const {
  if (watermarks == WatermarkKind::kPunctuated) return true;
  return std::any_of(windows.begin(), windows.end(), [this](const WindowSpec& window) {
    return leaves_shared_path(window).has_value();
  });
}

Schema WindowQuery::result_schema() const {
  Schema schema = {{"window_start", ColumnType::kInt64}, {"window_end", ColumnType::kInt64}};
  schema.insert(schema.end(), keys.begin(), keys.end());
  for (const AggregateSpec& aggregate : aggregates) {
    schema.push_back({aggregate.name, result_type(aggregate, input_type_of(*this, aggregate))});
  }
  if (reports_panes) {
    schema.push_back({"pane", ColumnType::kString});
    schema.push_back({"pane_index", ColumnType::kInt64});
    schema.push_back({"change", ColumnType::kString});
  }
  return schema;
}

namespace {

// Why one set of slices cannot be shared by all windows; see can_share_one_set_of_slices().
Expected<void> validate_base_intervals(const WindowQuery& query) {
  if (query.strategy != Strategy::kBaseIntervals || can_share_one_set_of_slices(query)) return {};
  if (query.lateness > 0) {
    return make_error(
        "strategy base-intervals takes no allowed lateness, as it keeps no slice that has fired; "
        "use auto or another strategy");
  }
  for (const AggregateSpec& aggregate : query.aggregates) {
    const bool grows = !AggregateLayout(query.values, {aggregate}, false).trivial();
    const bool in_order = !algebra_of(aggregate, input_type_of(query, aggregate)).commutative;
    if (!grows && !in_order) continue;
    return make_error(
        fmt::format("strategy base-intervals cannot compute '{}': {}; use auto or another strategy",
                    aggregate.name,
                    grows ? "its state has no fixed size, and would be copied for every interval"
                          : "its states must be merged from old to new, which intervals are not"));
  }
  return {};
}

}  // namespace

Expected<void> validate(const WindowQuery& query) {
  if (query.windows.empty()) return make_error("a query needs at least one window");
  if (query.aggregates.empty()) return make_error("a query needs at least one aggregate");
  if (const auto clock = ZoneClock::of(query.zone); !clock) {
    return tl::make_unexpected(clock.error());
  }
  for (const WindowSpec& window : query.windows) {
    if (auto valid = validate(window); !valid) return valid;
  }
  if (auto valid = validate_firing(query); !valid) return valid;
  for (const Field& key : query.keys) {
    if (key.type == ColumnType::kDouble) {
      return make_error(
          fmt::format("key '{}' is a double: keys are integers or strings", key.name));
    }
  }
  if (query.values.size() > WindowQuery::kMaxValues) {
    return make_error(fmt::format("a query reads at most {} value columns, got {}",
                                  WindowQuery::kMaxValues, query.values.size()));
  }
  for (const Field& value : query.values) {
    if (value.type == ColumnType::kString) {
      return make_error(
          fmt::format("value '{}' is a string: values are integers or doubles", value.name));
    }
  }
  for (const WindowSpec& window : query.windows) {
    if (auto valid = validate_in_query(query, window); !valid) return valid;
  }
  for (const AggregateSpec& aggregate : query.aggregates) {
    if (auto valid = validate_aggregate(query, aggregate); !valid) return valid;
  }
  if (auto valid = validate_base_intervals(query); !valid) return valid;
  if (query.delay < 0 || query.delay > kMaxDurationMs) {
    return make_error(
        fmt::format("delay must be between 0 and {} ms, got {} ms", kMaxDurationMs, query.delay));
  }
  if (query.max_ahead && *query.max_ahead <= 0) {
    return make_error(fmt::format("max ahead must be positive, got {} ms", *query.max_ahead));
  }
  if (query.max_ahead && query.time_domain == TimeDomain::kProcessing) {
    return make_error("max ahead is for event time: the clock does not run ahead of itself");
  }
  if (query.max_drift && *query.max_drift < 0) {
    return make_error(fmt::format("drift limit must not be negative, got {} ms", *query.max_drift));
  }
  if (query.idle_timeout && *query.idle_timeout <= 0) {
    return make_error(fmt::format("idle timeout must be positive, got {} ms", *query.idle_timeout));
  }
  return {};
}

}  // namespace tidemark
