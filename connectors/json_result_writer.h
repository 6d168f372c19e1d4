// Results as JSON, one object a line.
#pragma once

#include <string>
#include <vector>

#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/repeated_text.h"
#include "tidemark/connectors/result_writer.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

// Every line is valid JSON: NULL, NaN and infinities are null, and bytes that are not UTF-8 become
// U+FFFD. Keys that are integers in canonical form (see canonical_integer.h) are numbers, other
// keys are strings; window bounds are strings, or numbers when times are written in ms.
class JsonResultWriter : public ResultSink {
 public:
  JsonResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

 private:
  void write_row(const Batch& results, std::size_t row);
  void write_cell(const Column& column, std::size_t index, std::size_t row);
  void write_bound(std::size_t index, EventTime time);

  ResultLayout layout_;
  TimeFormatter times_;
  OutputFile& output_;
  // What stands before each value: `{"window_start":`, `,"window_end":`, ...
  std::vector<std::string> prefixes_;
  std::vector<RepeatedText> bounds_;
};

}  // namespace tidemark
