// Where the cells of CSV rows end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tidemark {

// Finds delimiters and line feeds outside quotes, 64 bytes at a time, and writes their places down,
// as simdjson's first stage does (Langdale and Lemire, 2019). Takes up only rows whose quotes are
// as RFC 4180 has them; what else there is in real files is left to CsvScanner. Recycled; one owner
// at a time.
class CsvIndex {
 public:
  // How much of a text is looked at.
  static constexpr std::size_t kBytes = 32 * 1024;

  explicit CsvIndex(char delimiter);

  // `text` begins at a row. Indexes rows from its start that are complete with their line feed, as
  // many as are within kBytes and before the first quote that is out of place; perhaps none.
  void build(std::string_view text);

  // Rows indexed; lines without any byte are among them.
  std::size_t row_count() const { return rows_; }
  // Whether a quote was seen: if not, every line is a row.
  bool has_quotes() const { return has_quotes_; }

  // Cells of a row, at least 1.
  std::size_t cell_count(std::size_t row) const { return row_ends_[row + 1] - row_ends_[row]; }
  // Cell i of the row is the text from ends(row)[i] + 1, modulo 2^32, to ends(row)[i + 1]. Rows
  // follow each other without a gap.
  const std::uint32_t* ends(std::size_t row) const { return ends_.get() + row_ends_[row]; }
  // Where a row begins; row_count() tells where the last one ends.
  std::size_t row_begin(std::size_t row) const { return *ends(row) + 1U; }

 private:
  // What the end of a block says about the next one's quotes.
  struct Carry {
    std::uint64_t inside = 0;       // all ones inside quotes
    std::uint64_t cell_starts = 1;  // as bit 0
    std::uint64_t after_close = 0;
    std::uint64_t after_close_and_return = 0;
  };

  bool follow_quotes(const char* block, std::uint64_t quotes, Carry& carry, std::uint64_t& marks,
                     std::uint64_t& line_feeds);

  char delimiter_;
  std::size_t rows_ = 0;
  bool has_quotes_ = false;
  // One more than there are bytes, and room for what is written without looking.
  std::unique_ptr<std::uint32_t[]> ends_;
  std::unique_ptr<std::uint32_t[]> row_ends_;
};

}  // namespace tidemark
