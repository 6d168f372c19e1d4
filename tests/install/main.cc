// A job of the typed face, built against an installed copy.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tidemark/connectors/print_sink.h"
#include "tidemark/operators/job.h"

struct Order {
  std::int64_t ts_ms;
  std::uint64_t user;
  double amount;
};

int main() {
  using namespace std::chrono_literals;
  const std::vector<Order> orders = {
      {1'000, 7, 1.5}, {2'000, 8, 2}, {1'500, 7, 0.5}, {3'000, 7, 4}};
  double total = 0;

  tidemark::Job job;
  job.source(orders)
      .event_time(&Order::ts_ms, tidemark::bounded_out_of_orderness(1s))
      .key_by(&Order::user)
      .window(tidemark::tumbling(1s))
      .aggregate(tidemark::count(), tidemark::sum(&Order::amount))
      .sink(tidemark::print())
      .sink([&total](const auto& result) { total += result.template value<1>().value_or(0); });
  const tidemark::Report report = job.run({.cores = 2});

  if (report.rows_on_time == orders.size() && total == 8) return 0;
  std::printf("%zu rows on time, total %g\n", static_cast<std::size_t>(report.rows_on_time), total);
  return 1;
}
