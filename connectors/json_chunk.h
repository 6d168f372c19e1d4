// A run of JSON rows, parsed into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/json_document.h"
#include "tidemark/connectors/json_pointer.h"
#include "tidemark/connectors/json_rows.h"
#include "tidemark/connectors/text_chunk.h"

namespace tidemark {

// Goes through the texts of JSON rows: lines that are not blank, or the elements of an array.
class JsonRowTexts {
 public:
  // `text` begins at a row.
  JsonRowTexts(std::string_view text, FileFormat format) : text_(text), format_(format) {}

  // Sets the row's text and line, or returns false at the end.
  bool next(CsvRow& row);
  // Line ends passed so far; at the end all there are.
  std::uint64_t lines() const { return line_; }

 private:
  bool next_line(CsvRow& row);
  bool next_element(CsvRow& row);
  void count_lines(std::size_t end);

  std::string_view text_;
  FileFormat format_;
  std::size_t at_ = 0;  // lines are counted up to here
  std::uint64_t line_ = 0;
  JsonElementScanner elements_;
};

class JsonChunk final : public TextChunk {
 public:
  // `columns` are those of the plan, and must outlive the chunk too.
  JsonChunk(const CsvPlan& plan, const JsonColumns& columns, FileFormat format,
            std::size_t batch_rows);

 private:
  std::uint64_t parse_rows() override;
  void scan_rows(const RowVisitor& visit) override;
  bool parse_row();
  std::string_view padded(std::string_view text);

  FileFormat format_;
  JsonRowReader reader_;
  CsvRow row_;
  std::string padded_;
};

}  // namespace tidemark
