// Which values of a JSON row a job wants, and where in the document its rows are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runtime/error.h"

namespace tidemark {

// The steps of a JSON pointer (RFC 6901) such as /properties/time; any other text is the name of
// one member. The empty text is the whole document. Refuses a ~ that is neither ~0 nor ~1.
Expected<std::vector<std::string>> parse_json_pointer(std::string_view text);

// Wanted columns by their places in a row: a step leads from an object to a member, or from an
// array to an element by its index.
class JsonColumns {
 public:
  struct Node {
    std::string step;
    std::optional<std::size_t> column;
    std::vector<Node> children;

    // Null if nothing behind this step is wanted.
    const Node* find(std::string_view child_step) const {
      for (const Node& child : children) {
        if (child.step == child_step) return &child;
      }
      return nullptr;
    }
  };

  // Column i is the one that names[i] points to. Refuses what parse_json_pointer() refuses.
  static Expected<JsonColumns> create(const std::vector<std::string>& names);

  const Node& root() const { return root_; }
  std::size_t size() const { return size_; }

 private:
  Node root_;
  std::size_t size_ = 0;
};

}  // namespace tidemark
