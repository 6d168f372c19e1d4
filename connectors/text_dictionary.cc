#include "tidemark/connectors/text_dictionary.h"

#include "tidemark/operators/key_hash.h"

namespace tidemark {

std::size_t TextDictionary::Hash::operator()(std::string_view text) const {
  return hash_text(text);
}

std::int64_t TextDictionary::number_of(std::string_view text) {
  // Its map goes by the lower bits.
  const std::size_t index = static_cast<std::size_t>(hash_text(text) >> 58);
  static_assert(kParts == 1 << (64 - 58));
  Part& part = parts_[index];
  const std::scoped_lock lock(part.mutex);
  if (const auto known = part.numbers.find(text); known != part.numbers.end()) {
    return known->second;
  }
  const auto number = static_cast<std::int64_t>(part.texts.size() * kParts + index);
  part.texts.push_back(&part.numbers.emplace(text, number).first->first);
  return number;
}

std::string_view TextDictionary::text_of(std::int64_t number) const {
  const auto place = static_cast<std::size_t>(number);
  const Part& part = parts_[place % kParts];
  const std::scoped_lock lock(part.mutex);
  return *part.texts[place / kParts];
}

}  // namespace tidemark
