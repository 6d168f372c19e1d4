// The fields of a command's JSON, as it writes them and as its page documents them.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "cli/run_command.h"
#include "support/test_paths.h"

namespace tidemark::test_support {

// Names of all members of an object and what it holds.
inline void collect_names(const nlohmann::json& value, std::set<std::string>& names) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) names.insert(name);
  }
  if (value.is_structured()) {
    for (const auto& member : value) collect_names(member, names);
  }
}

// What a page of docs/ shows as fields in its section on JSON.
inline std::set<std::string> documented_fields(const std::string& page_name) {
  std::string page = read_text_file(source_directory() + "/docs/" + page_name);
  page.erase(0, page.find("\n## JSON\n"));
  const std::regex field("`([a-z0-9_.]+)`");
  std::set<std::string> fields;
  for (std::sregex_iterator at(page.begin(), page.end(), field), end; at != end; ++at) {
    fields.insert((*at)[1]);
  }
  return fields;
}

}  // namespace tidemark::test_support
