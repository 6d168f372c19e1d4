// A run of rows of an input, parsed into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/connectors/bad_row.h"
#include "tidemark/connectors/csv_decoder.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/row_run.h"
#include "tidemark/operators/event_time_jumps.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Recycled: keeps its memory from one run of rows to the next. One owner at a time.
class TextChunk {
 public:
  // `plan` must outlive the chunk. Batches have `batch_rows` rows.
  TextChunk(const CsvPlan& plan, std::size_t batch_rows);
  virtual ~TextChunk() = default;
  TextChunk(const TextChunk&) = delete;
  TextChunk& operator=(const TextChunk&) = delete;

  // Where the input puts the rows to parse.
  RowRun& run() { return run_; }
  std::string_view rows() const { return run_.rows; }

  // Parses the run from scratch.
  void parse();

  // The good rows: batches in order, none empty.
  std::size_t batch_count() const { return used_; }
  Batch& batch(std::size_t index) { return batches_[index]; }

  // Makes rows that `guard` refuses bad ones. Call it for the chunks in the order of the input,
  // once for each.
  void refuse_rows_ahead(MaxAheadGuard& guard);

  // The bad rows in order; their lines are counted from 0 at the chunk's start.
  std::vector<BadRow>& bad_rows() { return bad_rows_; }
  // Line ends in the run.
  std::uint64_t lines() const { return lines_; }

 protected:
  // Goes through all rows: takes in the good ones and refuses the others. Returns the line ends.
  virtual std::uint64_t parse_rows() = 0;
  // Shows the line and the text of each row in turn, good or bad, until `visit` returns false.
  using RowVisitor = std::function<bool(const CsvRow& row)>;
  virtual void scan_rows(const RowVisitor& visit) = 0;

  Batch& batch_with_room() {
    if (used_ > 0 && !batches_[used_ - 1].full()) return batches_[used_ - 1];
    return next_batch();
  }
  // Rows are refused in the order of the text.
  void refuse(const CsvRow& row, std::uint64_t line, std::string reason) {
    bad_begins_.push_back(row.raw.data());
    bad_rows_.push_back({line, std::move(reason), std::string(row.raw)});
  }

  const CsvPlan& plan_;
  CsvDecoder decoder_;

 private:
  // A good row that the guard refused, by its number among the good rows.
  struct RowAhead {
    std::size_t number;
    std::string reason;
  };

  Batch& next_batch();
  void refuse_run();
  void find_texts(const std::vector<RowAhead>& rows);

  std::size_t batch_rows_;
  RowRun run_;
  std::vector<Batch> batches_;
  std::size_t used_ = 0;
  std::vector<BadRow> bad_rows_;
  std::vector<const char*> bad_begins_;  // where they begin in the text
  std::uint64_t lines_ = 0;
};

}  // namespace tidemark
