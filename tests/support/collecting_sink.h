// Sinks that keep everything they receive, and check on the way what the interfaces promise.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"

namespace tidemark::test_support {

class CollectingSink : public ResultSink {
 public:
  explicit CollectingSink(const WindowQuery& query);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override { ++finished_; }

  // In the order received.
  const std::vector<ResultRow>& results() const { return results_; }
  // Broken promises in words: a result behind an announced watermark, a watermark that fell, a call
  // after finish(). Empty when all is well.
  const std::vector<std::string>& faults() const { return faults_; }
  int finished() const { return finished_; }

 private:
  void check_alive(const char* call);

  std::size_t key_count_;
  // No window of the query fires behind the watermark.
  bool is_on_time_;
  std::vector<ResultRow> results_;
  std::vector<std::string> faults_;
  EventTime watermark_ = kNoWatermark;
  int finished_ = 0;
};

class CollectingLateSink : public LateSink {
 public:
  explicit CollectingLateSink(const WindowQuery& query) : columns_(query.watermark_column()) {}

  struct LateRow {
    Row row;
    EventTime watermark;
  };

  void accept(const Batch& rows, std::size_t row, EventTime watermark) override {
    Row late = row_at(rows, row);
    late.cells.resize(columns_);
    late_.push_back({std::move(late), watermark});
  }
  void finish() override { ++finished_; }

  const std::vector<LateRow>& late() const { return late_; }
  std::vector<Row> rows() const;
  int finished() const { return finished_; }

 private:
  // The batch may carry more than the row's own columns.
  std::size_t columns_;
  std::vector<LateRow> late_;
  int finished_ = 0;
};

}  // namespace tidemark::test_support
