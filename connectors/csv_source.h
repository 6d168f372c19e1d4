// Rows from CSV: a file or a stream is one partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidemark/connectors/csv_input.h"
#include "tidemark/connectors/csv_options.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/csv_read_ahead.h"
#include "tidemark/operators/event_time_jumps.h"
#include "tidemark/operators/source.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

class CsvSource final : public SourcePartition {
 public:
  // Opens the input and looks at its header and first rows; waits for them if it is a stream.
  // Refuses what plan_csv() refuses, and input that cannot be opened.
  static Expected<std::unique_ptr<CsvSource>> open(CsvSourceOptions options);

  // What was made of the options: the schema of the rows, the unit of times, a warning about them.
  const CsvPlan& plan() const { return plan_; }
  // For messages: the path or "standard input".
  const std::string& name() const { return input_->name(); }

  PollStatus poll(Batch& batch) override;
  void start(Parker& driver) override { read_ahead_.start(driver); }
  void stop() override { read_ahead_.stop(); }
  std::uint64_t bad_rows() const override { return bad_rows_; }

 private:
  CsvSource(CsvSourceOptions options, std::unique_ptr<CsvInput> input, CsvPlan plan);
  bool take_chunk();
  void report_bad_rows();
  bool move_rows(Batch& batch);
  void next_batch();

  CsvSourceOptions options_;
  std::unique_ptr<CsvInput> input_;
  CsvPlan plan_;
  CsvReadAhead read_ahead_;

  // Polling thread only.
  std::optional<MaxAheadGuard> guard_;
  CsvChunk* chunk_ = nullptr;
  std::size_t batch_index_ = 0;
  std::size_t row_index_ = 0;
  bool ended_ = false;
  std::uint64_t next_line_;  // line on which the next chunk starts, from 1
  std::uint64_t bad_rows_ = 0;
};

}  // namespace tidemark
