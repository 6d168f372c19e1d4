#include "tidemark/connectors/csv_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/connectors/column_names.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/message_text.h"

namespace tidemark {

Expected<CsvHeader> CsvHeader::read(std::string_view text, char delimiter,
                                    const std::string& input_name) {
  CsvScanner scanner(text, delimiter);
  CsvRow row;
  row.fields.resize(
      1 + static_cast<std::size_t>(std::count(
              text.begin(),
              text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find('\n'), text.size())),
              delimiter)));
  if (!scanner.next(row)) {
    return make_error(
        fmt::format("{} is empty; a CSV input begins with a header line of column "
                    "names",
                    input_name));
  }
  if (row.field_count > row.fields.size()) {  // the header has line ends inside quotes
    row.fields.resize(row.field_count);
    scanner = CsvScanner(text, delimiter);
    scanner.next(row);
  }
  if (row.problem != CsvProblem::kNone) {
    return make_error(
        fmt::format("the header of {} has a quote that is not closed before a "
                    "delimiter: {}",
                    input_name, in_quotes(row.raw)));
  }
  CsvHeader header;
  header.input_name_ = input_name;
  for (std::size_t i = 0; i < row.field_count; ++i) {
    const CsvField& field = row.fields[i];
    if (!field.quoted && field.text.find('\r') != std::string_view::npos) {
      return make_error(
          fmt::format("lines of {} end in CR alone, which is not supported; convert "
                      "them to LF, for instance with: tr '\\r' '\\n'",
                      input_name));
    }
    std::string& name = header.columns_.emplace_back(field.text);
    if (field.escaped) unescape_csv(field.text, name);
  }
  header.bytes_ = scanner.offset();
  header.lines_ = scanner.lines();
  return header;
}

Expected<std::size_t> CsvHeader::find(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) {
    return make_error(no_such_column(name, columns_, input_name_));
  }
  if (std::count(found, columns_.end(), name) > 1) {
    return make_error(fmt::format("{} has more than one column {}; rename all but one", input_name_,
                                  in_quotes(name)));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

}  // namespace tidemark
