// Records of named fields as lines of CSV or of newline-delimited JSON.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

enum class RecordFormat : std::uint8_t { kCsv, kNdjson };

// Call one method for each field, in order, then end(). Appends to `out`, which must outlive this.
class RecordText {
 public:
  RecordText(RecordFormat format, std::span<const std::string_view> names, fmt::memory_buffer& out);

  // The header line of CSV; nothing in JSON.
  void header();

  void integer(std::int64_t value);
  // A number given as text.
  void number(std::string_view text);
  // Text without quotes, commas, backslashes and control characters.
  void plain_text(std::string_view text);
  void end();

 private:
  void begin_field();

  RecordFormat format_;
  std::vector<std::string> prefixes_;  // what stands before each field
  std::string header_;
  fmt::memory_buffer& out_;
  std::size_t field_ = 0;
};

}  // namespace tidemark
