// Results whose values are texts, which the pipeline knows by numbers.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tidemark/connectors/result_writer.h"
#include "tidemark/connectors/text_dictionary.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// For each value column of a query the dictionary that its numbers are of; null where they are
// numbers.
using ValueTexts = std::vector<std::shared_ptr<const TextDictionary>>;

// Puts the texts into the columns of first(), last() and collect(), and hands the results on.
class TextResults final : public ResultSink {
 public:
  // A writer of the results of `query` (see make_result_writer()), which shows texts where `texts`
  // has them.
  static std::unique_ptr<ResultSink> make_writer(ResultFormat format, const WindowQuery& query,
                                                 const ValueTexts& texts, TimeFormatter times,
                                                 OutputFile& output);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override { next_->on_watermark(watermark); }
  void finish() override { next_->finish(); }

 private:
  TextResults(std::unique_ptr<ResultSink> next, Schema schema, ValueTexts texts);
  void write_text(std::size_t index, const Column& from, std::size_t row);
  std::string_view list_of(std::string_view numbers, const TextDictionary& texts);

  std::unique_ptr<ResultSink> next_;
  Schema schema_;
  ValueTexts texts_;  // by column of the results
  std::optional<Batch> batch_;
  fmt::memory_buffer list_;
};

}  // namespace tidemark
