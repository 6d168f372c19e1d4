#include "tidemark/connectors/order_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <utility>

#include "tidemark/connectors/generator_parameters.h"
#include "tidemark/connectors/read_number.h"

namespace tidemark {

namespace {

std::partial_ordering compare(const Column& cells, std::size_t row,
                              const std::variant<std::int64_t, double, std::string>& literal) {
  if (const std::string* text = std::get_if<std::string>(&literal)) {
    return cells.string(row) <=> std::string_view(*text);
  }
  const std::int64_t* const integer = std::get_if<std::int64_t>(&literal);
  if (cells.type() == ColumnType::kInt64 && integer != nullptr) {
    return cells.int64s()[row] <=> *integer;
  }
  const double value = cells.type() == ColumnType::kInt64 ? static_cast<double>(cells.int64s()[row])
                                                          : cells.doubles()[row];
  return value <=> (integer != nullptr ? static_cast<double>(*integer) : std::get<double>(literal));
}

}  // namespace

OrderPartition::OrderPartition(const OrderSourceConfig& config, std::vector<OrderValue> columns,
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
    generator_.column(columns_[i].column, next_, stride_, hashes, at, batch.column(i));
    if (columns_[i].condition) apply(*columns_[i].condition, hashes, at, batch.column(i));
  }
  batch.set_size(at + count);
  next_ += count * stride_;
  return PollStatus::kRows;
}

void OrderPartition::apply(const OrderCondition& condition, std::span<const std::uint64_t> hashes,
                           std::size_t at, Column& cells) {
  compared_.emplace(condition.type, hashes.size());
  generator_.column(condition.column, next_, stride_, hashes, 0, *compared_);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!holds(condition.op, compare(*compared_, i, condition.literal))) cells.set_null(at + i);
  }
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

Expected<OrderCondition> parse_order_condition(const std::string& column, CompareOp op,
                                               const std::string& literal, bool literal_is_text) {
  const Expected<OrderColumnInfo> info = find_order_column(column);
  if (!info) return tl::unexpected(info.error());
  OrderCondition condition{info->column, info->type, op, literal};
  const bool text_column = info->type == ColumnType::kString;
  std::int64_t integer = 0;
  double number = 0;
  bool is_number = false;
  if (!literal_is_text && !text_column) {
    if (read_int64(literal, integer) == NumberReading::kRead) {
      condition.literal = integer;
      is_number = true;
    } else if (read_double(literal, number) == NumberReading::kRead) {
      condition.literal = number;
      is_number = true;
    }
  }
  if (is_number == text_column) {
    return make_error(
        fmt::format("{} of generated orders is {}, so a condition cannot compare it "
                    "with {:?}",
                    column, text_column ? "text" : "a number", literal));
  }
  return condition;
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
