// A run of CSV rows, parsed into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemark/connectors/csv_columns.h"
#include "tidemark/connectors/csv_index.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/text_chunk.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

class CsvChunk final : public TextChunk {
 public:
  CsvChunk(const CsvPlan& plan, std::size_t batch_rows);

 private:
  std::uint64_t parse_rows() override;
  void scan_rows(const RowVisitor& visit) override;
  std::size_t parse_indexed(std::string_view text);
  std::size_t count_regular(std::string_view text, std::size_t first) const;
  bool is_blank(std::string_view text, std::size_t row) const;
  void append_regular(std::string_view text, std::size_t first, std::size_t count);
  std::size_t parse_apart(std::string_view text, std::size_t rows);
  void pass_lines(std::string_view text, std::size_t row);

  CsvIndex index_;
  CsvColumns columns_;
  CsvRow row_;
  std::uint64_t lines_ = 0;    // passed so far
  std::size_t lines_end_ = 0;  // offset in the indexed text up to which lines are counted
  std::size_t lines_row_ = 0;  // the same as a row of the index
};

}  // namespace tidemark
