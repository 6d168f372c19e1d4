// A JSON text whose members are asked for by path, with errors that say where.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

// Keeps the text, which must outlive it, to find the line of what is wrong.
class JsonDocument {
 public:
  using Json = nlohmann::ordered_json;

  // Refuses what is not one whole JSON object; the sentence has line, column and, within a named
  // member of a list such as a benchmark, its name.
  static Expected<JsonDocument> parse(std::string_view text, const std::string& source);

  const Json& root() const { return root_; }
  const std::string& source() const { return source_; }

  // "FILE:LINE: NAME WHAT", for the value at `path`, such as /benchmarks/3/real_time.
  std::string where(const nlohmann::json_pointer<std::string>& path) const;

 private:
  JsonDocument(std::string_view text, std::string source, Json root)
      : text_(text), source_(std::move(source)), root_(std::move(root)) {}

  std::string_view text_;
  std::string source_;
  Json root_;
};

// What a value is, for an error: `null`, `"abc"`, `12`.
std::string shown(const JsonDocument::Json& value);

}  // namespace tidemark
