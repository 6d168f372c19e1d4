#include "tidemark/connectors/order_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidemark/connectors/generator_parameters.h"

namespace tidemark {

OrderPartition::OrderPartition(const OrderSourceConfig& config, std::vector<OrderColumn> columns,
                               std::uint64_t shard, std::uint64_t shards)
    : generator_(config.orders),
      columns_(std::move(columns)),
      next_(shard),
      stride_(shards),
      end_(config.orders.rows),
      live_(config.live) {}

void OrderPartition::start(Parker&) { started_ = Clock::now(); }

std::uint64_t OrderPartition::rows_due() const {
  const std::uint64_t left = next_ >= end_ ? 0 : (end_ - next_ + stride_ - 1) / stride_;
  if (!live_) return left;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_).count();
  std::uint64_t due = 0;
  // At most a batch is asked for at a time, so counting up is cheap enough.
  while (due < std::min<std::uint64_t>(left, Batch::kDefaultCapacity) &&
         generator_.clock().due(next_ + due * stride_) <= elapsed) {
    ++due;
  }
  return due;
}

PollStatus OrderPartition::poll(Batch& batch) {
  if (next_ >= end_) return PollStatus::kEnd;
  const std::size_t at = batch.size();
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(rows_due(), batch.capacity() - at));
  if (count == 0) return PollStatus::kPending;
  hashes_.resize(std::max(hashes_.size(), count));
  const std::span<std::uint64_t> hashes(hashes_.data(), count);
  generator_.hashes(next_, stride_, hashes);
  generator_.times(next_, stride_, hashes, batch.times() + at);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    generator_.column(columns_[i], next_, stride_, hashes, at, batch.column(i));
  }
  batch.set_size(at + count);
  next_ += count * stride_;
  return PollStatus::kRows;
}

std::optional<Clock::time_point> OrderPartition::ready_at() const {
  if (!live_ || next_ >= end_) return std::nullopt;
  return started_ + std::chrono::milliseconds(generator_.clock().due(next_));
}

Expected<OrderSourceConfig> parse_order_source(std::string_view text) {
  OrderSourceConfig config;
  const std::size_t question = text.find('?');
  if (text.substr(0, question) != "orders") {
    return make_error(fmt::format("{:?} cannot be generated as an input; write gen:orders?rows=N",
                                  text.substr(0, question)));
  }
  GeneratorParameters parameters;
  if (question != std::string_view::npos) {
    if (auto set = parameters.set_all(text.substr(question + 1)); !set) {
      return tl::unexpected(set.error());
    }
  }
  config.orders = parameters.orders();
  config.live = parameters.live;
  if (auto valid = validate(config.orders); !valid) return tl::unexpected(valid.error());
  return config;
}

Expected<OrderColumnInfo> find_order_column(std::string_view name) {
  for (const OrderColumnInfo& info : kOrderColumns) {
    if (info.name == name) return info;
  }
  return make_error(fmt::format(
      "generated orders have no column {:?}; they have order_id, user_id, amount, cents, ts and "
      "country",
      name));
}

}  // namespace tidemark
