// What property tests share: rounds from seeds, and the comparison of a run with the naive model.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "property/naive_model.h"
#include "property/random_scenario.h"
#include "support/query_run.h"

namespace tidemark::test_support {

// TIDEMARK_PROPERTY_ROUNDS multiplies the work, also by a fraction; TIDEMARK_PROPERTY_SEED repeats
// one failed round.
class PropertyTest : public ::testing::Test {
 protected:
  template <typename Body>
  void for_random_seeds(int rounds, Body body) {
    if (const char* seed = std::getenv("TIDEMARK_PROPERTY_SEED")) {
      run_round(std::strtoull(seed, nullptr, 10), body);
      return;
    }
    const char* factor = std::getenv("TIDEMARK_PROPERTY_ROUNDS");
    const double scaled = factor == nullptr ? rounds : rounds * std::strtod(factor, nullptr);
    const int total = std::max(1, static_cast<int>(scaled));
    for (int round = 0; round < total && !HasFailure(); ++round) {
      run_round(static_cast<std::uint64_t>(round) + 1, body);
    }
  }

 private:
  template <typename Body>
  void run_round(std::uint64_t seed, Body body) {
    SCOPED_TRACE(fmt::format("TIDEMARK_PROPERTY_SEED={}", seed));
    Random random(seed);
    body(random);
  }
};

// No fault seen by a sink, figures that add up, nothing kept at the end.
void expect_sound(const RunOutcome& run);

// The same results in the same order, the same late rows and the same figures.
void expect_equals_model(const RunOutcome& run, const ModelOutcome& model, std::size_t rows);

// Runs the scenario as one partition with every strategy that it allows, each with random settings.
void check_every_strategy(Random& random, const Scenario& scenario);

// The same with 2 to 5 partitions, whose delay is set so that nothing is ever late.
void check_several_partitions(Random& random, Scenario scenario);

// The table that changes with pane columns make: each result as text, without its pane, and how
// many of it are there. A change that takes back what is not there leaves a negative number.
std::map<std::string, int> table_of(const std::vector<ResultRow>& changes);

// The widest step back in time of a row behind an earlier one, ms.
std::int64_t disorder_of(const std::vector<Row>& rows);

// Empty if the lists are equal: a whole list is too long to read.
std::string first_difference(const std::vector<std::string>& actual,
                             const std::vector<std::string>& expected);

}  // namespace tidemark::test_support
