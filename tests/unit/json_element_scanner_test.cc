// Where the elements of an array begin and end: whole blocks at a time, and the same as byte by
// byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/json_document.h"

namespace tidemark {
namespace {

using Elements = std::vector<std::string>;

// By definition: an element is what lies between commas outside of braces and strings.
Elements elements_of(std::string_view text) {
  Elements elements;
  std::string element;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string && depth == 0 && (c == ',' || c == ']')) {
      const std::size_t begin = std::min(element.find_first_not_of(" \n"), element.size());
      elements.push_back(
          element.substr(begin, element.find_last_not_of(" \n") - begin + std::size_t{1}));
      element.clear();
      if (c == ']') break;
      continue;
    }
    element += c;
    if (in_string && c == '\\') {
      element += text[++i];
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return elements;
}

// Texts that are shorter than a block and longer, with everything in strings that ends something
// outside of them.
std::string random_string(std::mt19937& random) {
  static const std::string pieces[] = {"a", "[", "]", "{", "}", ",", "\\\"", "\\\\", "\\n", " "};
  std::string text = "\"";
  const std::size_t size = random() % 4 == 0 ? random() % 150 : random() % 8;
  while (text.size() < size) {
    // Mostly without a backslash for a while.
    text += pieces[random() % (random() % 8 == 0 ? 10 : 6)];
  }
  return text + "\"";
}

std::string random_value(std::mt19937& random, int depth) {
  const std::size_t kind = random() % (depth > 3 ? 2 : 4);
  if (kind == 0) return std::to_string(random() % 100'000);
  if (kind == 1) return random_string(random);
  std::string text(1, kind == 2 ? '{' : '[');
  const std::size_t members = random() % 6;
  for (std::size_t i = 0; i < members; ++i) {
    if (i > 0) text += random() % 3 == 0 ? ", " : ",";
    if (kind == 2) text += random_string(random) + ":";
    text += random_value(random, depth + 1);
  }
  return text + (kind == 2 ? '}' : ']');
}

std::string random_array(std::mt19937& random) {
  std::string text;
  const std::size_t elements = 1 + random() % 12;
  for (std::size_t i = 0; i < elements; ++i) {
    if (i > 0) text += random() % 2 == 0 ? ",\n" : ",";
    text += random_value(random, 0);
    if (random() % 5 == 0) text += ' ';
  }
  return text + "]";
}

// The text comes in pieces of up to `piece` bytes, and goes when its elements are known.
Elements scanned(const std::string& text, std::size_t piece, std::mt19937& random) {
  JsonElementScanner scanner;
  Elements elements;
  std::string seen;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = std::min(text.size() - at, 1 + random() % piece);
    seen += text.substr(at, n);
    at += n;
    while (scanner.next(seen)) {
      if (scanner.closed()) break;
      elements.push_back(seen.substr(scanner.begin(), scanner.end() - scanner.begin()));
    }
    if (scanner.in_element()) continue;
    seen.erase(0, scanner.offset());
    scanner.consume(scanner.offset());
  }
  EXPECT_TRUE(scanner.closed());
  return elements;
}

TEST(JsonElementScanner, FindsTheSameElementsHoweverTheTextComes) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_array(random);
    const Elements expected = elements_of(text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{70}, text.size()}) {
      ASSERT_EQ(scanned(text, piece, random), expected) << "pieces of " << piece << ": " << text;
    }
  }
}

}  // namespace
}  // namespace tidemark
