// Rows of an input that cannot be used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tidemark {

struct BadRow {
  // Physical line on which the row starts, counted from 1; the header is part of the count.
  std::uint64_t line = 0;
  // What is wrong, for people.
  std::string reason;
  // The row as it is in the input, without its line end.
  std::string raw;
};

using BadRowHandler = std::function<void(const BadRow&)>;

enum class OnBadRow : std::uint8_t { kSkip, kFail };

}  // namespace tidemark
