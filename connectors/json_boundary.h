// Where the rows of a JSON input end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/json_document.h"
#include "tidemark/connectors/row_boundary.h"

namespace tidemark {

// One row a line: a line feed inside a JSON string is always escaped.
class JsonLineBoundary final : public RowBoundary {
 public:
  std::size_t scan(std::string_view text, bool complete) override;
  void consume(std::size_t bytes) override;
  std::unique_ptr<RowBoundary> at_start() const override;
  std::unique_ptr<RowBoundary> clone() const override;
  bool is_sample(std::string_view rows) const override;
  std::string_view doubt() const override;

 private:
  std::size_t scanned_ = 0;
  std::size_t boundary_ = 0;
};

// The elements of one array in a document. The text before the array goes with the first element.
class JsonArrayBoundary final : public RowBoundary {
 public:
  // `steps` lead to the array; see parse_json_pointer().
  explicit JsonArrayBoundary(std::vector<std::string> steps)
      : steps_(std::move(steps)), rest_(steps_) {}

  std::size_t scan(std::string_view text, bool complete) override;
  void consume(std::size_t bytes) override;
  std::unique_ptr<RowBoundary> at_start() const override;
  std::unique_ptr<RowBoundary> clone() const override;
  bool is_sample(std::string_view rows) const override;
  std::string_view doubt() const override;
  std::size_t row_begin() const override;
  // Without what follows the array.
  std::string_view rows_of(std::string_view text) const override;
  std::optional<std::string> end_problem() const override;

 private:
  std::vector<std::string> steps_;
  // Where the array begins in the text, once that is known; 0 after that has been consumed.
  std::optional<std::size_t> rows_begin_;
  std::size_t looked_at_ = 0;  // for where it begins
  JsonElementScanner elements_;
  JsonRestScanner rest_;
  std::size_t rest_at_ = 0;  // how far what follows the array has been looked at
  std::size_t boundary_ = 0;
};

}  // namespace tidemark
