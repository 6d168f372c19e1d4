// Generated orders as a source of one or more partitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/connectors/comparison.h"
#include "tidemark/connectors/order_generator.h"
#include "tidemark/operators/source.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct OrderSourceConfig {
  OrdersConfig orders;
  // Rows come in real time, as their event times say without disorder; otherwise as fast as they
  // are taken.
  bool live = false;
};

// A condition on a row's value of one column. A literal that is a number is compared as one,
// integers exactly.
struct OrderCondition {
  OrderColumn column;
  ColumnType type;
  CompareOp op;
  std::variant<std::int64_t, double, std::string> literal;
};

// From `where COL OP VALUE`; refuses columns that orders do not have, and numbers where text is or
// text where numbers are.
Expected<OrderCondition> parse_order_condition(const std::string& column, CompareOp op,
                                               const std::string& literal, bool literal_is_text);

// One column of a partition's batches; NULL where the condition is not fulfilled.
struct OrderValue {
  OrderColumn column;
  std::optional<OrderCondition> condition{};
};

// Rows shard, shard + shards, ... of the stream, so that each partition's times rise as the whole
// stream's do.
class OrderPartition : public SourcePartition {
 public:
  // Fills the columns of a batch in the order given. `shard` is below `shards`.
  OrderPartition(const OrderSourceConfig& config, std::vector<OrderValue> columns,
                 std::uint64_t shard, std::uint64_t shards);

  void start(Parker& driver) override;
  PollStatus poll(Batch& batch) override;
  std::optional<Clock::time_point> ready_at() const override;

 private:
  std::uint64_t rows_due() const;
  // Cells [at, at + hashes.size()) whose rows do not fulfil the condition become NULL.
  void apply(const OrderCondition& condition, std::span<const std::uint64_t> hashes, std::size_t at,
             Column& cells);

  OrderGenerator generator_;
  std::vector<OrderValue> columns_;
  std::uint64_t next_;
  std::uint64_t stride_;
  std::uint64_t end_;
  bool live_;
  Clock::time_point started_{};
  std::vector<std::uint64_t> hashes_;
  std::optional<Column> compared_;
};

// From the part after `gen:` of an input: `orders?rows=20M&keys=10k&rate=500000&skew=zipf:1.1`.
// Parameters: rows, keys, rate, start (ISO time or ms), disorder (a duration), skew, seed, live
// (true or false). Any may be left out.
Expected<OrderSourceConfig> parse_order_source(std::string_view text);

// The column called `name`; refuses other names with a sentence that lists the right ones.
Expected<OrderColumnInfo> find_order_column(std::string_view name);

}  // namespace tidemark
