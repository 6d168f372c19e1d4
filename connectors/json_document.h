// A JSON document that holds rows in an array, looked at without parsing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {

// Where the array of rows begins.
struct JsonRowsBegin {
  enum class Status : std::uint8_t {
    kFound,  // `offset` is behind the array's opening bracket
    kMore,   // the text ends before that
    kNone,   // there is none; `problem` says why
  };
  Status status;
  std::size_t offset = 0;
  std::string problem;
};

// `text` is the start of the document. The array is the document itself, or what `steps` (see
// parse_json_pointer()) lead to. Cost: goes through the text up to there.
JsonRowsBegin find_json_rows(std::string_view text, const std::vector<std::string>& steps);

// Goes through the elements of an array, from behind its opening bracket or from what ends an
// element. Where a comma has no element behind it there is one without any byte; only in front of
// the first one a comma more goes unnoticed. The text may grow at its end between calls.
class JsonElementScanner {
 public:
  // Goes on through `text`, which is what it was with more behind. True if it has come to the end
  // of an element or of the array (then closed() is true as well); false at the end of the text.
  bool next(std::string_view text);

  // Where the element that next() has found begins and ends.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  // How far the text has been looked at.
  std::size_t offset() const { return at_; }
  // The array's closing bracket has been passed.
  bool closed() const { return closed_; }
  // The text so far ends with an element that begins at begin(), of which more may come;
  bool in_element() const { return in_element_; }
  // more has to come.
  bool is_cut_off() const { return in_element_ && (depth_ > 0 || in_string_); }

  // The first `bytes` of the text are gone, up to offset().
  void consume(std::size_t bytes);

 private:
  bool skip_string(std::string_view text);
  // Goes on to the end of the element's braces, or as far as there are whole blocks without a
  // backslash. Returns up to where bytes have to be looked at one by one.
  std::size_t skip_blocks(std::string_view text);

  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t depth_ = 0;
  bool in_element_ = false;
  bool in_string_ = false;
  bool closed_ = false;
  bool after_comma_ = false;
};

// Goes through what follows the array of rows, to the end of the document and of the input.
class JsonRestScanner {
 public:
  // `steps` lead to the array, so that as many objects and arrays are open around it.
  explicit JsonRestScanner(std::vector<std::string> steps)
      : steps_(std::move(steps)), depth_(steps_.size()) {}

  // Goes on with the next bytes.
  void next(std::string_view text);

  // The document has not been closed yet.
  bool is_open() const { return depth_ > 0; }
  // Something else than space follows the document.
  bool goes_on() const { return goes_on_; }
  // A step that comes once more where the first one led to the array; empty if there is none.
  const std::string& repeated() const { return repeated_; }

 private:
  void look_at_name(char c);

  std::vector<std::string> steps_;  // those whose objects and arrays are open
  std::size_t depth_;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool goes_on_ = false;
  // The last string of the innermost of them, without its quotes, as long as it may be the step.
  std::string name_;
  bool may_be_step_ = false;
  std::string repeated_;
};

}  // namespace tidemark
