#include "tidemark/connectors/json_pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {

Expected<std::string> unescape_step(std::string_view step, std::string_view pointer) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      text += step[i];
      continue;
    }
    const char next = i + 1 < step.size() ? step[i + 1] : '\0';
    if (next != '0' && next != '1') {
      return make_error(fmt::format(
          "{} is not a JSON pointer: after ~ comes 0 (for ~) or 1 (for /)", in_quotes(pointer)));
    }
    text += next == '0' ? '~' : '/';
    ++i;
  }
  return text;
}

}  // namespace

Expected<std::vector<std::string>> parse_json_pointer(std::string_view text) {
  std::vector<std::string> steps;
  if (!text.starts_with('/')) {
    if (!text.empty()) steps.emplace_back(text);
    return steps;
  }
  std::size_t at = 1;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    Expected<std::string> step = unescape_step(text.substr(at, end - at), text);
    if (!step) return tl::unexpected(step.error());
    steps.push_back(*std::move(step));
    at = end + 1;
  }
  return steps;
}

Expected<JsonColumns> JsonColumns::create(const std::vector<std::string>& names) {
  JsonColumns columns;
  columns.size_ = names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Expected<std::vector<std::string>> steps = parse_json_pointer(names[i]);
    if (!steps) return tl::unexpected(steps.error());
    Node* node = &columns.root_;
    for (const std::string& step : *steps) {
      const auto found = std::find_if(node->children.begin(), node->children.end(),
                                      [&](const Node& child) { return child.step == step; });
      if (found != node->children.end()) {
        node = &*found;
      } else {
        node = &node->children.emplace_back(Node{step, std::nullopt, {}});
      }
    }
    node->column = i;
  }
  return columns;
}

}  // namespace tidemark
