#include "tidemark/connectors/column_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

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

std::string no_such_column(std::string_view name, const std::vector<std::string>& columns,
                           std::string_view input_name) {
  const std::optional<std::string_view> near = nearest(name, columns);
  return fmt::format("{} has no column {}{}; its columns are {}", input_name, in_quotes(name),
                     near ? fmt::format(" (did you mean {}?)", in_quotes(*near)) : "",
                     list_of(columns));
}

}  // namespace tidemark
