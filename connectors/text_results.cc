#include "tidemark/connectors/text_results.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tidemark/connectors/json_text.h"

namespace tidemark {

namespace {

bool shows_values(AggregateFunction function) {
  return function == AggregateFunction::kFirst || function == AggregateFunction::kLast ||
         function == AggregateFunction::kCollect;
}

}  // namespace

std::unique_ptr<ResultSink> TextResults::make_writer(ResultFormat format, const WindowQuery& query,
                                                     const ValueTexts& texts, TimeFormatter times,
                                                     OutputFile& output) {
  ResultLayout layout = result_layout(query);
  ValueTexts of_columns(layout.columns.size());
  Schema schema;
  for (const ResultColumn& column : layout.columns) schema.push_back(column.field);
  constexpr std::size_t kBounds = 2;
  for (std::size_t i = 0; i < query.aggregates.size(); ++i) {
    const AggregateSpec& aggregate = query.aggregates[i];
    const auto input = static_cast<std::size_t>(aggregate.input);
    if (!shows_values(aggregate.function) || input >= texts.size()) continue;
    const std::size_t column = kBounds + query.keys.size() + i;
    of_columns[column] = texts[input];
    if (texts[input] == nullptr) continue;
    schema[column].type = layout.columns[column].field.type = ColumnType::kString;
  }
  std::unique_ptr<ResultSink> writer = make_result_writer(format, std::move(layout), times, output);
  const bool has_texts = std::any_of(of_columns.begin(), of_columns.end(),
                                     [](const auto& dictionary) { return dictionary != nullptr; });
  if (!has_texts) return writer;
  return std::unique_ptr<ResultSink>(
      new TextResults(std::move(writer), std::move(schema), std::move(of_columns)));
}

TextResults::TextResults(std::unique_ptr<ResultSink> next, Schema schema, ValueTexts texts)
    : next_(std::move(next)), schema_(std::move(schema)), texts_(std::move(texts)) {}

void TextResults::accept(const Batch& results) {
  const std::size_t rows = results.size();
  if (!batch_ || batch_->capacity() < rows) batch_.emplace(schema_, results.capacity());
  batch_->clear();
  batch_->header = results.header;
  std::copy_n(results.times(), rows, batch_->times());
  for (std::size_t i = 0; i < schema_.size(); ++i) {
    const Column& from = results.column(i);
    if (texts_[i] == nullptr) {
      batch_->column(i).copy_range(0, from, 0, rows);
    } else {
      for (std::size_t row = 0; row < rows; ++row) write_text(i, from, row);
    }
  }
  batch_->set_size(rows);
  next_->accept(*batch_);
}

void TextResults::write_text(std::size_t index, const Column& from, std::size_t row) {
  Column& to = batch_->column(index);
  const TextDictionary& texts = *texts_[index];
  if (from.is_null(row)) {
    to.set_null(row);
  } else if (from.type() == ColumnType::kString) {
    to.set_string(row, list_of(from.string(row), texts));
  } else {
    to.set_string(row, texts.text_of(from.int64s()[row]));
  }
}

// A JSON array of texts from one of their numbers.
std::string_view TextResults::list_of(std::string_view numbers, const TextDictionary& texts) {
  list_.clear();
  const char* const end = numbers.data() + numbers.size();
  for (const char* at = numbers.data(); at != end;) {
    std::int64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    if (error == std::errc()) {
      append_json_string(texts.text_of(number), list_);
      at = behind;
    } else {
      list_.push_back(*at++);
    }
  }
  return {list_.data(), list_.size()};
}

}  // namespace tidemark
