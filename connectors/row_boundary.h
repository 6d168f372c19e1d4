// Where the rows of a text end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

// Finds where rows end in a text that grows at its end, looking at every byte once, so that text
// which is cut there reads as if it had not been cut. Used by one thread at a time.
class RowBoundary {
 public:
  virtual ~RowBoundary() = default;

  // `text` begins at a row (at first: with the input) and is what it was at the last call, with
  // more behind. The offset behind the last row end known, 0 if there is none. `complete` says that
  // nothing more will come.
  virtual std::size_t scan(std::string_view text, bool complete) = 0;

  // The first `bytes` of the text are gone: up to a row end that scan() has told or an earlier one;
  // or, where the row that has not ended is to be passed over, up to its last byte but one.
  virtual void consume(std::size_t bytes) = 0;

  // Another one, at the start of the input.
  virtual std::unique_ptr<RowBoundary> at_start() const = 0;
  // Another one, at the same place.
  virtual std::unique_ptr<RowBoundary> clone() const = 0;

  // Where in the text the row begins of which the end has not come, if the text began there or at
  // what separates it from the row before.
  virtual std::size_t row_begin() const { return 0; }

  // Whether `rows`, the input's first, are enough to learn its columns from: those of a header, if
  // there is one, and a row.
  virtual bool is_sample(std::string_view rows) const = 0;

  // Those bytes of `text`, cut where the last scan() has told, that belong to rows.
  virtual std::string_view rows_of(std::string_view text) const { return text; }

  // What is missing at the end of an input that has all been scanned.
  virtual std::optional<std::string> end_problem() const { return std::nullopt; }

  // What may be wrong where no row ends for long, as a question.
  virtual std::string_view doubt() const = 0;
};

}  // namespace tidemark
