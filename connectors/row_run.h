// What an input gives at a time: whole rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {

struct RowRun {
  // Holds the rows if the input itself does not.
  std::string storage;
  // Whole rows; none where only a part of a row that is too long was passed. If `problem` is set
  // it is the start of such a row, which begins at `row_at`.
  std::string_view rows;
  std::size_t row_at = 0;
  std::string problem;
  // What was passed behind `rows` without being kept.
  std::size_t skipped_bytes = 0;
  std::uint64_t skipped_lines = 0;
};

}  // namespace tidemark
