// The first row of a CSV input: column names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runtime/error.h"

namespace tidemark {

class CsvHeader {
 public:
  // Reads the header from the start of an input. Refuses an empty input, a broken header, and lone
  // CR as line ends. `input_name` is for messages.
  static Expected<CsvHeader> read(std::string_view text, char delimiter,
                                  const std::string& input_name);

  // The column of that name. Refuses, with the names that there are and the likeliest one, a name
  // that does not exist; and a name that exists more than once.
  Expected<std::size_t> find(std::string_view name) const;

  const std::vector<std::string>& columns() const { return columns_; }
  // Bytes and line ends that the header takes, blank lines before it included.
  std::size_t bytes() const { return bytes_; }
  std::uint64_t lines() const { return lines_; }

 private:
  std::vector<std::string> columns_;
  std::size_t bytes_ = 0;
  std::uint64_t lines_ = 0;
  std::string input_name_;
};

}  // namespace tidemark
