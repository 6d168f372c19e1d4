// Numbers for texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark {

// The same number for the same text, and different ones for different texts. Which numbers these
// are depends on the order of calls. Keeps every text until the end. Thread-safe.
class TextDictionary {
 public:
  // Not negative. Cost: one look-up under a lock that few share.
  std::int64_t number_of(std::string_view text);

  // The text whose number it is; valid as long as this. Cost: the same.
  std::string_view text_of(std::int64_t number) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
  };
  // Texts are dealt out over the parts by their hash.
  static constexpr std::size_t kParts = 64;
  struct Part {
    mutable std::mutex mutex;
    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> numbers;
    std::vector<const std::string*> texts;  // those of `numbers`, which stay where they are
  };

  std::array<Part, kParts> parts_;
};

}  // namespace tidemark
