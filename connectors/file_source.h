// Rows from a file or a stream of text, which is one partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/json_pointer.h"
#include "tidemark/connectors/read_ahead.h"
#include "tidemark/connectors/row_input.h"
#include "tidemark/connectors/text_chunk.h"
#include "tidemark/operators/event_time_jumps.h"
#include "tidemark/operators/source.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

class FileSource final : public SourcePartition {
 public:
  // Opens the input and looks at its header and first rows; waits for them if it is a stream.
  // Refuses what plan_csv() or plan_json() refuses, and input that cannot be opened.
  static Expected<std::unique_ptr<FileSource>> open(FileSourceOptions options);

  // What was made of the options: the schema of the rows, the unit of times, a warning about them.
  const CsvPlan& plan() const { return plan_; }
  // For messages: the path or "standard input".
  const std::string& name() const { return input_->name(); }

  PollStatus poll(Batch& batch) override;
  void start(Parker& driver) override { read_ahead_.start(driver); }
  void stop() override { read_ahead_.stop(); }
  std::uint64_t bad_rows() const override { return bad_rows_; }

 private:
  FileSource(FileSourceOptions options, std::unique_ptr<RowInput> input, CsvPlan plan,
             JsonColumns json_columns);
  std::unique_ptr<TextChunk> make_chunk() const;
  bool take_chunk();
  void end();
  void report(const BadRow& row);
  void report_bad_rows();
  bool move_rows(Batch& batch);
  void next_batch();

  FileSourceOptions options_;
  std::unique_ptr<RowInput> input_;
  CsvPlan plan_;
  JsonColumns json_columns_;  // of the JSON formats
  ReadAhead read_ahead_;

  // Polling thread only.
  std::optional<MaxAheadGuard> guard_;
  TextChunk* chunk_ = nullptr;
  std::size_t batch_index_ = 0;
  std::size_t row_index_ = 0;
  bool ended_ = false;
  std::uint64_t next_line_;  // line on which the next chunk starts, from 1
  std::uint64_t bad_rows_ = 0;
};

}  // namespace tidemark
