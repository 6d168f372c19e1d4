// A window over the last minute of orders of each user, every 20 seconds.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tidemark/connectors/print_sink.h"
#include "tidemark/operators/job.h"

using namespace tidemark;
using namespace std::chrono_literals;

struct Order {
  int64_t ts_ms;  // milliseconds since 1970-01-01T00:00:00Z
  std::string user;
  double amount;
};

// Any function that returns std::optional can be a source; so can a vector, or any other range.
// This one makes an order every 7 seconds, now and then 10 seconds late.
std::optional<Order> next_order() {
  static const std::array<std::string, 3> users = {"ann", "bob", "eve"};
  static std::size_t number = 0;
  if (number == 20) return std::nullopt;
  const int64_t second = static_cast<int64_t>(number) * 7 - (number % 5 == 3 ? 10 : 0);
  Order order{1'790'841'600'000 + second * 1'000, users[number % 4 % 3],
              0.25 * static_cast<double>(number)};
  ++number;
  return order;
}

int main() {
  Job job;
  job.source(next_order)
      .filter([](const Order& order) { return order.amount > 0; })
      .event_time(&Order::ts_ms, bounded_out_of_orderness(10s))  // orders come up to 10 s late
      .key_by(key(&Order::user).as("user"))
      .window(sliding(1min, 20s))
      .aggregate(count(), sum(&Order::amount), max(&Order::amount).as("largest"))
      .sink(print());
  const Report report = job.run({.cores = 2});
  return report.rows_late == 0 ? 0 : 1;
}
