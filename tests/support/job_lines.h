// Results of jobs of the typed face as lines of text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tidemark/operators/job.h"

namespace tidemark::test_support {

inline std::int64_t ms(SysTimeMs time) { return time.time_since_epoch().count(); }

inline std::string text(std::string_view value) { return fmt::format("'{}'", value); }
template <std::integral T>
std::string text(T value) {
  return fmt::format("{}", value);
}
template <typename T>
requires std::is_enum_v<T> std::string text(T value) {
  return fmt::format("#{}", static_cast<std::int64_t>(value));
}
inline std::string text(double value) { return fmt::format("{:g}", value); }
template <typename T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "NULL";
}
template <typename... T>
std::string text(const std::tuple<T...>& values) {
  std::string all;
  std::apply([&all](const auto&... value) { ((all += " " + text(value)), ...); }, values);
  return all;
}

// Results as lines `window start end | keys | values`, sorted.
struct Lines {
  std::vector<std::string>* lines;
  template <typename Result>
  void operator()(const Result& result) const {
    lines->push_back(fmt::format("{} {} {} |{} |{}", result.window, ms(result.window_start),
                                 ms(result.window_end), text(result.keys), text(result.values)));
  }
};

template <typename Stream>
std::vector<std::string> run_to_lines(Job& job, Stream stream, const RunOptions& options = {}) {
  std::vector<std::string> lines;
  stream.sink(Lines{&lines});
  job.run(options);
  std::ranges::sort(lines);
  return lines;
}

}  // namespace tidemark::test_support
