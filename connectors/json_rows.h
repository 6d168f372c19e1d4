// JSON text into the cells of rows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/json_pointer.h"

namespace tidemark {

// A row is a JSON object, and its cells are those values in it that the columns point to: a
// string's text; a number, true or false as it is written; NULL where there is null or nothing. Of
// a name that comes twice the last value counts. Values that no column wants are not looked at,
// beyond brackets, strings and UTF-8 being right. Not thread-safe.
class JsonRowReader {
 public:
  // Bytes behind a text that must be readable.
  static constexpr std::size_t kPadding = 64;

  // `columns` must outlive this.
  explicit JsonRowReader(const JsonColumns& columns);
  ~JsonRowReader();

  // Sets the row's fields, one per column, which hold until the next call. False if it is not such
  // an object; then reason() tells why.
  bool read(std::string_view text, CsvRow& row);

  const std::string& reason() const { return reason_; }

 private:
  // The parser's headers are long, and only the source needs them.
  class Parser;

  std::unique_ptr<Parser> parser_;
  std::string reason_;
};

}  // namespace tidemark
