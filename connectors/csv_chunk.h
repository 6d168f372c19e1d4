// A run of CSV rows, parsed into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/bad_row.h"
#include "tidemark/connectors/csv_columns.h"
#include "tidemark/connectors/csv_decoder.h"
#include "tidemark/connectors/csv_index.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/operators/event_time_jumps.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Recycled: keeps its memory from one run of rows to the next. One owner at a time.
class CsvChunk {
 public:
  // `plan` must outlive the chunk. Batches have `batch_rows` rows.
  CsvChunk(const CsvPlan& plan, std::size_t batch_rows);

  // Where the input puts the rows to parse.
  std::string& storage() { return storage_; }
  std::string_view& rows() { return rows_; }

  // Parses rows() from scratch.
  void parse();

  // The good rows: batches in order, none empty.
  std::size_t batch_count() const { return used_; }
  Batch& batch(std::size_t index) { return batches_[index]; }

  // Makes rows that `guard` refuses bad ones. Call it for the chunks in the order of the input,
  // once for each.
  void refuse_rows_ahead(MaxAheadGuard& guard);

  // The bad rows in order; their lines are counted from 0 at the chunk's start.
  std::vector<BadRow>& bad_rows() { return bad_rows_; }
  // Line ends in the chunk.
  std::uint64_t lines() const { return lines_; }

 private:
  // A good row that the guard refused, by its number among the good rows.
  struct RowAhead {
    std::size_t number;
    std::string reason;
  };

  Batch& batch_with_room();
  std::size_t parse_indexed(std::string_view text);
  std::size_t count_regular(std::string_view text, std::size_t first) const;
  bool is_blank(std::string_view text, std::size_t row) const;
  void append_regular(std::string_view text, std::size_t first, std::size_t count);
  std::size_t parse_apart(std::string_view text, std::size_t rows);
  void pass_lines(std::string_view text, std::size_t row);
  void find_texts(const std::vector<RowAhead>& rows);

  const CsvPlan& plan_;
  std::size_t batch_rows_;
  CsvIndex index_;
  CsvColumns columns_;
  CsvDecoder decoder_;
  CsvRow row_;
  std::string storage_;
  std::string_view rows_;
  std::vector<Batch> batches_;
  std::size_t used_ = 0;
  std::vector<BadRow> bad_rows_;
  std::uint64_t lines_ = 0;
  std::size_t lines_end_ = 0;  // offset in the indexed text up to which lines are counted
  std::size_t lines_row_ = 0;  // the same as a row of the index
};

}  // namespace tidemark
