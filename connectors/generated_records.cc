#include "tidemark/connectors/generated_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "tidemark/connectors/nexmark_bids.h"
#include "tidemark/connectors/number_text.h"
#include "tidemark/connectors/order_generator.h"
#include "tidemark/connectors/ysb_events.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

namespace {

class OrderRecords : public GeneratedRecords {
 public:
  explicit OrderRecords(const OrdersConfig& config) : generator_(config) {}

  std::span<const std::string_view> names() const override {
    static constexpr std::array<std::string_view, 5> kNames{"order_id", "user_id", "amount", "ts",
                                                            "country"};
    return kNames;
  }

  void append(std::uint64_t row, RecordText& out) const override {
    const std::uint64_t hash = generator_.hash(row);
    const std::int64_t cents = OrderGenerator::cents(hash);
    out.integer(static_cast<std::int64_t>(row) + 1);
    out.integer(generator_.user(hash));
    fmt::memory_buffer amount;
    append_integer(cents / 100, amount);
    amount.push_back('.');
    amount.push_back(static_cast<char>('0' + cents / 10 % 10));
    amount.push_back(static_cast<char>('0' + cents % 10));
    out.number({amount.data(), amount.size()});
    out.integer(generator_.time(row, hash));
    out.plain_text(OrderGenerator::country(hash));
    out.end();
  }

  std::int64_t due(std::uint64_t row) const override { return generator_.clock().due(row); }

 private:
  OrderGenerator generator_;
};

constexpr std::uint64_t kRowsPerLook = 1024;
constexpr std::chrono::milliseconds kLongestSleep{20};

// Waits until `row` is due. Wakes up often enough to see a cancellation soon.
void sleep_until_due(std::int64_t due, Clock::time_point started,
                     const Cancellation& cancellation) {
  const Clock::time_point then = started + std::chrono::milliseconds(due);
  while (!cancellation.requested()) {
    const Clock::time_point now = Clock::now();
    if (now >= then) return;
    std::this_thread::sleep_for(std::min<Clock::duration>(then - now, kLongestSleep));
  }
}

}  // namespace

Expected<std::unique_ptr<GeneratedRecords>> make_generated_records(
    std::string_view kind, const GeneratorParameters& parameters) {
  // The limits on times, keys and rates are the same for every kind.
  if (auto valid = validate(parameters.orders()); !valid) return tl::unexpected(valid.error());
  if (kind == "orders") return std::make_unique<OrderRecords>(parameters.orders());
  if (kind == "nexmark-bid") return std::make_unique<NexmarkBids>(parameters);
  if (kind == "ysb") return std::make_unique<YsbEvents>(parameters);
  return make_error(fmt::format(
      "there is no generated stream {:?}; there are orders, nexmark-bid and ysb", kind));
}

std::uint64_t write_generated_records(const GeneratedRecords& records,
                                      const GeneratorParameters& parameters, RecordFormat format,
                                      const Cancellation& cancellation, OutputFile& output) {
  const Clock::time_point started = Clock::now();
  RecordText text(format, records.names(), output.buffer());
  text.header();
  std::uint64_t row = 0;
  while (row < parameters.rows && !cancellation.requested()) {
    if (parameters.live) {
      const std::int64_t due = records.due(row);
      if (started + std::chrono::milliseconds(due) > Clock::now()) {
        output.flush();
        sleep_until_due(due, started, cancellation);
        if (cancellation.requested()) break;
      }
      records.append(row++, text);
    } else {
      const std::uint64_t end = std::min(parameters.rows, row + kRowsPerLook);
      for (; row < end; ++row) records.append(row, text);
    }
    output.written();
  }
  output.flush();
  return row;
}

}  // namespace tidemark
