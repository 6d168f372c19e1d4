// Random window specifications and rules of firing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

#include "tidemark/operators/query.h"

namespace tidemark::test_support {

using Random = std::mt19937_64;

// Both ends included.
std::int64_t between(Random& random, std::int64_t low, std::int64_t high);

bool chance(Random& random, double probability);

template <typename T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return std::data(choices)[between(random, 0, static_cast<std::int64_t>(choices.size()) - 1)];
}

// Lengths are up to some dozens of `unit` ms. A row falls in at most about 60 windows, so that the
// model stays quick.
WindowSpec random_sliding(Random& random, std::int64_t unit);  // or tumbling
WindowSpec random_cumulate(Random& random, std::int64_t unit);
// With a gap of each row's own now and then, in a column `gap`.
WindowSpec random_session(Random& random, std::int64_t unit);
WindowSpec random_count(Random& random);
// Weeks, months or years.
WindowSpec random_calendar(Random& random);
// Any of those that follow from the rows' times: tumbling, sliding, cumulate, session.
WindowSpec random_timed(Random& random, std::int64_t unit);

// Lateness, early firings, accumulation and panes, each present or not. `unit` as above.
void add_firing(Random& random, WindowQuery& query, std::int64_t unit);
void add_lateness(Random& random, WindowQuery& query, std::int64_t unit);

}  // namespace tidemark::test_support
