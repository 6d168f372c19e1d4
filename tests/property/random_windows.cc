#include "property/random_windows.h"

#include <algorithm>

namespace tidemark::test_support {

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

bool chance(Random& random, double probability) {
  return std::bernoulli_distribution(probability)(random);
}

WindowSpec random_sliding(Random& random, std::int64_t unit) {
  WindowSpec spec;
  spec.size =
      chance(random, 0.1) ? 1 : between(random, 1, 60) * one_of(random, {unit, unit, INT64_C(1)});
  switch (between(random, 0, 4)) {
    case 0:
      spec.slide = spec.size;
      break;
    case 1:
      spec.slide = spec.size + between(random, 1, 2 * spec.size);
      break;
    case 2: {
      const std::int64_t parts = between(random, 1, std::min<std::int64_t>(spec.size, 12));
      spec.slide = spec.size / parts;
      spec.size = spec.slide * parts;
      break;
    }
    default:
      spec.slide = between(random, std::max<std::int64_t>(1, spec.size / 20), spec.size);
  }
  spec.kind = spec.slide == spec.size ? WindowKind::kTumbling : WindowKind::kSliding;
  spec.offset = chance(random, 0.5) ? between(random, -(spec.slide - 1), spec.slide - 1) : 0;
  return spec;
}

WindowSpec random_cumulate(Random& random, std::int64_t unit) {
  WindowSpec spec{WindowKind::kCumulate};
  spec.slide = chance(random, 0.1) ? 1 : between(random, 1, 12 * unit);
  spec.size = spec.slide * between(random, 1, one_of(random, {INT64_C(4), INT64_C(30)}));
  spec.offset = chance(random, 0.5) ? between(random, -(spec.size - 1), spec.size - 1) : 0;
  return spec;
}

WindowSpec random_session(Random& random, std::int64_t unit) {
  WindowSpec spec{WindowKind::kSession};
  if (chance(random, 0.3)) {
    spec.gap_column = "gap";
  } else {
    spec.size = chance(random, 0.1) ? 1 : between(random, 1, 30 * unit);
  }
  return spec;
}

WindowSpec random_count(Random& random) {
  const std::int64_t size = between(random, 1, one_of(random, {INT64_C(3), INT64_C(40)}));
  return count_window(size, chance(random, 0.5) ? size : between(random, 1, 2 * size));
}

WindowSpec random_calendar(Random& random) {
  WindowSpec spec;
  spec.unit = one_of(random, {CalendarUnit::kWeek, CalendarUnit::kMonth, CalendarUnit::kYear});
  spec.size = spec.slide = chance(random, 0.5) ? 1 : between(random, 1, 7);
  if (spec.unit == CalendarUnit::kWeek) {
    spec.first_weekday = static_cast<int>(between(random, 1, 7));
  }
  return spec;
}

WindowSpec random_timed(Random& random, std::int64_t unit) {
  switch (between(random, 0, 3)) {
    case 0:
      return random_cumulate(random, unit);
    case 1:
      return random_session(random, unit);
    default:
      return random_sliding(random, unit);
  }
}

void add_lateness(Random& random, WindowQuery& query, std::int64_t unit) {
  query.lateness = one_of(random, {INT64_C(0), INT64_C(1), unit, 20 * unit, 300 * unit});
  if (chance(random, 0.05)) query.lateness = kMaxDurationMs;
  query.reports_panes = chance(random, 0.8);
  query.accumulation = one_of(
      random, {Accumulation::kAccumulating, Accumulation::kDiscarding, Accumulation::kRetracting});
  query.repeat_unchanged = chance(random, 0.2);
}

void add_firing(Random& random, WindowQuery& query, std::int64_t unit) {
  add_lateness(random, query, unit);
  if (chance(random, 0.5)) {
    query.early = {EarlyFiring::Kind::kRows,
                   one_of(random, {INT64_C(1), INT64_C(2), between(random, 1, 20)})};
  } else {
    query.early = {EarlyFiring::Kind::kEventTime,
                   chance(random, 0.2) ? unit : between(random, 1, 20 * unit)};
  }
}

}  // namespace tidemark::test_support
