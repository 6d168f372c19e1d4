// Ordered results of one partition are the same lines in the same order, whatever the cores, the
// batches and the pace.
#include <memory>
#include <tuple>

#include "property/property_check.h"
#include "tidemark/connectors/ordered_results.h"

namespace tidemark::test_support {
namespace {

class OrderedProperty : public PropertyTest {};

std::vector<ResultRow> ordered_results(const Scenario& scenario, const RunSettings& settings) {
  CollectingSink sink(scenario.query);
  OrderedResults ordered(scenario.query, sink);
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  partitions.push_back(std::make_unique<VectorPartition>(scenario.rows, settings.pace));
  run_pipeline(scenario.query, partitions, {&ordered, {}}, nullptr, settings.pipeline);
  return sink.results();
}

void expect_same_order(Random& random, const Scenario& scenario) {
  SCOPED_TRACE(scenario.to_text());
  RunSettings one = random_settings(random);
  one.pipeline.cores = 1;
  const RunSettings several = random_settings(random);
  SCOPED_TRACE(one.to_text() + "\n" + several.to_text());
  const std::vector<ResultRow> results = ordered_results(scenario, one);
  EXPECT_EQ(first_difference(to_lines(ordered_results(scenario, several)), to_lines(results)), "");
  const auto in_order = [](const ResultRow& a, const ResultRow& b) {
    return std::tie(a.end, a.start, a.window) < std::tie(b.end, b.start, b.window);
  };
  EXPECT_TRUE(std::is_sorted(results.begin(), results.end(), in_order));
}

TEST_F(OrderedProperty, WindowsThatFireOnce) {
  for_random_seeds(40, [](Random& random) {
    ScenarioShape shape;
    shape.window = random_timed;
    expect_same_order(random, random_scenario(random, shape));
  });
}

TEST_F(OrderedProperty, WindowsThatFireEarlyLateAndAgain) {
  for_random_seeds(60, [](Random& random) {
    ScenarioShape shape;
    shape.window = random_timed;
    shape.settings = add_firing;
    const Scenario scenario = random_scenario(random, shape);
    expect_same_order(random, scenario);
  });
}

TEST_F(OrderedProperty, CountWindowsBesideOthers) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape;
    shape.window = [](Random& inner, std::int64_t unit) {
      return chance(inner, 0.5) ? random_count(inner) : random_timed(inner, unit);
    };
    expect_same_order(random, random_scenario(random, shape));
  });
}

}  // namespace
}  // namespace tidemark::test_support
