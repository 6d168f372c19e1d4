// Results and late rows in callbacks: tips by shop and payment, in windows of a minute.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tidemark/operators/job.h"

using namespace tidemark;
using namespace std::chrono_literals;

enum class Payment : uint8_t { kCash, kCard };

struct Order {
  int64_t second;
  uint64_t shop;
  Payment payment;
  std::optional<double> tip;  // std::nullopt is NULL, which sum(&Order::tip) skips
};

int main() {
  const std::vector<Order> orders = {
      {3, 1, Payment::kCash, std::nullopt},
      {41, 1, Payment::kCard, 2.5},
      {70, 2, Payment::kCard, 1.0},
      {55, 1, Payment::kCard, 0.5},   // 15 s behind the row before it: within the delay
      {150, 2, Payment::kCard, 1.5},  // with this one the first minute is complete, by far
      {59, 1, Payment::kCash, 9.0},   // so this one is late
  };

  // Callbacks are called on one thread, not on this one. Results of a window come in any order.
  std::map<std::tuple<int64_t, uint64_t, Payment>, std::optional<double>> tips;
  std::chrono::milliseconds worst_lateness{0};

  Job job;
  job.source(orders)
      .event_time([](const Order& order) { return order.second * 1000; },
                  bounded_out_of_orderness(20s))
      .key_by(&Order::shop, &Order::payment)
      .window(tumbling(1min))
      .aggregate(sum(&Order::tip))
      .late_rows(
          [&](const auto& late) { worst_lateness = std::max(worst_lateness, late.lateness()); })
      .sink([&](const auto& result) {
        const auto& [shop, payment] = result.keys;  // uint64_t and Payment, as in Order
        const auto& [sum] = result.values;          // std::optional<double>
        tips[{result.window_start.time_since_epoch() / 1min, shop, payment}] = sum;
      });
  const Report report = job.run();

  for (const auto& [group, sum] : tips) {
    const auto& [minute, shop, payment] = group;
    std::cout << "minute " << minute << ", shop " << shop
              << (payment == Payment::kCash ? ", cash: " : ", card: ");
    sum ? std::cout << *sum << '\n' : std::cout << "no tips\n";
  }
  std::cout << report.rows_on_time << " rows on time, " << report.rows_late << " late, by up to "
            << worst_lateness.count() << " ms\n";
}
