#include "tidemark/connectors/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {

char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

// Insertions, deletions and replacements that turn one name into the other, case apart.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> costs(to.size() + 1);
  std::iota(costs.begin(), costs.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = costs[0];
    costs[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(from[i]) == lower(to[j]) ? 0 : 1);
      diagonal = costs[j + 1];
      costs[j + 1] = std::min({replaced, costs[j] + 1, diagonal + 1});
    }
  }
  return costs[to.size()];
}

std::optional<std::string_view> nearest(std::string_view name,
                                        const std::vector<std::string>& names) {
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 50;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    if (i > 0) list += ", ";
    list += names[i];
  }
  if (names.size() > kMost) list += fmt::format(" and {} more", names.size() - kMost);
  return list;
}

}  // namespace

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
    const std::optional<std::string_view> near = nearest(name, columns_);
    return make_error(fmt::format(
        "{} has no column {}{}; its columns are {}", input_name_, in_quotes(name),
        near ? fmt::format(" (did you mean {}?)", in_quotes(*near)) : "", list_of(columns_)));
  }
  if (std::count(found, columns_.end(), name) > 1) {
    return make_error(fmt::format("{} has more than one column {}; rename all but one", input_name_,
                                  in_quotes(name)));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

}  // namespace tidemark
