// How text from an input appears inside a message for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark {

// `text` in double quotes. Long text is cut and ends in "...", so that a message stays one line's
// worth; line ends show as \n and \r.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown = "\"";
  for (const char byte : text.substr(0, kLongest)) {
    if (byte == '\n') {
      shown += "\\n";
    } else if (byte == '\r') {
      shown += "\\r";
    } else {
      shown += byte;
    }
  }
  if (text.size() > kLongest) shown += "...";
  return shown + '"';
}

}  // namespace tidemark
