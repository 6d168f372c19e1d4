#include "tidemark/connectors/order_generator.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark {

namespace {

constexpr std::size_t kChunk = 1024;
constexpr std::array<std::string_view, 16> kCountries{
    "AT", "BR", "CA", "CN", "DE", "ES", "FR", "GB", "IN", "IT", "JP", "KR", "MX", "NL", "SE", "US"};

}  // namespace

Expected<void> validate(const OrdersConfig& config) {
  if (config.keys == 0) return make_error("keys must be at least 1, not 0");
  if (config.rate == 0) return make_error("rate must be at least 1 row per second, not 0");
  if (config.disorder < 0 || config.disorder > kMaxDurationMs) {
    return make_error(fmt::format("disorder must not be negative, but is {} ms", config.disorder));
  }
  __extension__ using Wide = unsigned __int128;
  const Wide span = Wide{config.rows} * 1000 / config.rate;
  if (!is_valid_event_time(config.start) || !is_valid_event_time(config.start - config.disorder) ||
      span > static_cast<Wide>(kMaxEventTime - config.start)) {
    return make_error(
        "the generated times leave the years 1 to 9999; use fewer rows, a higher rate or another "
        "start");
  }
  return {};
}

OrderGenerator::OrderGenerator(const OrdersConfig& config)
    : mixed_seed_(splitmix64(config.seed)),
      sampler_(config.keys, config.skew),
      clock_(config.start, config.rate, config.disorder) {}

std::string_view OrderGenerator::country(std::uint64_t hash) {
  return kCountries[below(draw(hash, kCountryDraw), kCountries.size())];
}

void OrderGenerator::hashes(std::uint64_t first, std::uint64_t stride,
                            std::span<std::uint64_t> hashes) const {
  const std::uint64_t seed = mixed_seed_;
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = row_hash(seed, first + i * stride);
}

void OrderGenerator::times(std::uint64_t first, std::uint64_t stride,
                           std::span<const std::uint64_t> hashes, EventTime* times) const {
  if (!clock_.has_disorder()) {
    clock_.fill(first, stride, hashes, times);
    return;
  }
  std::array<std::uint64_t, kChunk> random;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, hashes.size() - begin);
    for (std::size_t i = 0; i < count; ++i) random[i] = draw(hashes[begin + i], kDisorderDraw);
    clock_.fill(first + begin * stride, stride, {random.data(), count}, times + begin);
  }
}

void OrderGenerator::column(OrderColumn column, std::uint64_t first, std::uint64_t stride,
                            std::span<const std::uint64_t> hashes, std::size_t at,
                            Column& cells) const {
  const std::size_t count = hashes.size();
  switch (column) {
    case OrderColumn::kOrderId:
      for (std::size_t i = 0; i < count; ++i) {
        cells.int64s()[at + i] = static_cast<std::int64_t>(first + i * stride + 1);
      }
      break;
    case OrderColumn::kUserId:
      sampler_.fill(hashes, cells.int64s() + at);
      break;
    case OrderColumn::kAmount:
      for (std::size_t i = 0; i < count; ++i) {
        cells.doubles()[at + i] = static_cast<double>(cents(hashes[i])) / 100;
      }
      break;
    case OrderColumn::kCents:
      for (std::size_t i = 0; i < count; ++i) cells.int64s()[at + i] = cents(hashes[i]);
      break;
    case OrderColumn::kTime:
      times(first, stride, hashes, cells.int64s() + at);
      break;
    case OrderColumn::kCountry:
      for (std::size_t i = 0; i < count; ++i) cells.set_string(at + i, country(hashes[i]));
      break;
  }
}

}  // namespace tidemark
