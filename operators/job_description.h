// What the typed face has gathered about a job, without the user's types.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/typed_partition.h"

namespace tidemark {

// What a sink must know of a job to read its result batches.
struct ResultShape {
  const WindowQuery& query;
  // For each key column whether its cells are the bits of unsigned 64-bit numbers.
  const std::vector<bool>& unsigned_keys;
};

// Makes a sink for one run.
using ResultSinkFactory = std::function<std::unique_ptr<ResultSink>(const ResultShape&)>;
using LateSinkFactory = std::function<std::unique_ptr<LateSink>(const ResultShape&)>;

struct JobDescription {
  WindowQuery query;
  std::vector<bool> unsigned_keys;
  bool has_source = false;
  std::unique_ptr<PartitionFactory> partitions;
  std::vector<ResultSinkFactory> sinks;
  std::vector<LateSinkFactory> late_sinks;
  // For each extra input of the rows, in order: what to do with its value column.
  std::vector<std::function<void(WindowQuery&, int)>> extra_inputs;

  // A key column; an empty name becomes `key`. An empty name of an aggregate becomes its
  // function's. Either gets a number where the name is taken: count, count_2.
  void add_key(std::string name, ColumnType type, bool is_unsigned);
  void add_aggregate(AggregateSpec aggregate);
  // Results tell their pane where a window may have several.
  void tell_panes();

 private:
  std::string free_name(std::string_view name) const;
};

// Hands results to several sinks in turn.
class SinkFanOut final : public ResultSink {
 public:
  // The sinks must outlive this.
  explicit SinkFanOut(std::vector<ResultSink*> sinks) : sinks_(std::move(sinks)) {}

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

 private:
  std::vector<ResultSink*> sinks_;
};

class LateSinkFanOut final : public LateSink {
 public:
  // The sinks must outlive this.
  explicit LateSinkFanOut(std::vector<LateSink*> sinks) : sinks_(std::move(sinks)) {}

  void accept(const Batch& rows, std::size_t row, EventTime watermark) override;
  void finish() override;

 private:
  std::vector<LateSink*> sinks_;
};

}  // namespace tidemark
