// A generated stream of orders: order_id, user_id, amount, ts, country.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tidemark/connectors/event_clock.h"
#include "tidemark/connectors/key_sampler.h"
#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// 2026-01-01T00:00:00Z.
inline constexpr EventTime kDefaultGeneratorStart = 1'767'225'600'000;

struct OrdersConfig {
  std::uint64_t rows = 1'000'000;
  std::uint64_t keys = 1'000;   // users, at least 1
  std::uint64_t rate = 10'000;  // rows per second of event time, at least 1
  EventTime start = kDefaultGeneratorStart;
  std::int64_t disorder = 0;  // ms, see EventClock
  Skew skew;
  std::uint64_t seed = 1;
};

// Refuses, in one sentence, what cannot be generated: no keys, a rate of 0, times beyond the valid
// range.
Expected<void> validate(const OrdersConfig& config);

enum class OrderColumn : std::uint8_t {
  kOrderId,  // int64, from 1
  kUserId,   // int64, from 0 to keys - 1
  kAmount,   // double, 0.01 to 1000.00 in whole cents
  kCents,    // int64, the same amount in cents
  kTime,     // int64, the event time in ms
  kCountry,  // string
};

struct OrderColumnInfo {
  std::string_view name;
  OrderColumn column;
  ColumnType type;
};
inline constexpr std::array<OrderColumnInfo, 6> kOrderColumns{{
    {"order_id", OrderColumn::kOrderId, ColumnType::kInt64},
    {"user_id", OrderColumn::kUserId, ColumnType::kInt64},
    {"amount", OrderColumn::kAmount, ColumnType::kDouble},
    {"cents", OrderColumn::kCents, ColumnType::kInt64},
    {"ts", OrderColumn::kTime, ColumnType::kInt64},
    {"country", OrderColumn::kCountry, ColumnType::kString},
}};

// Makes any row of the stream at any time; the same configuration gives the same rows. Immutable,
// so any number of threads may share one.
class OrderGenerator {
 public:
  // In cents; all from 1 on are as likely.
  static constexpr std::uint64_t kLargestAmount = 100'000;

  // `config` is valid.
  explicit OrderGenerator(const OrdersConfig& config);

  // The random number that all of a row's fields come from.
  std::uint64_t hash(std::uint64_t row) const { return row_hash(mixed_seed_, row); }

  std::int64_t user(std::uint64_t hash) const { return sampler_.key(hash); }
  static std::int64_t cents(std::uint64_t hash) {
    return static_cast<std::int64_t>(1 + below(draw(hash, 1), kLargestAmount));
  }
  static std::string_view country(std::uint64_t hash);
  EventTime time(std::uint64_t row, std::uint64_t hash) const {
    return clock_.time(row, draw(hash, kDisorderDraw));
  }

  // The same for many rows; hashes belong to rows first, first + stride, ...
  void hashes(std::uint64_t first, std::uint64_t stride, std::span<std::uint64_t> hashes) const;
  void times(std::uint64_t first, std::uint64_t stride, std::span<const std::uint64_t> hashes,
             EventTime* times) const;
  void column(OrderColumn column, std::uint64_t first, std::uint64_t stride,
              std::span<const std::uint64_t> hashes, std::size_t at, Column& cells) const;

  const EventClock& clock() const { return clock_; }

 private:
  static constexpr std::uint64_t kCountryDraw = 2;
  static constexpr std::uint64_t kDisorderDraw = 3;

  std::uint64_t mixed_seed_;
  KeySampler sampler_;
  EventClock clock_;
};

}  // namespace tidemark
