// Results as CSV.
#pragma once

#include <vector>

#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/repeated_text.h"
#include "tidemark/connectors/result_writer.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

// A header line, then one line for each result. NULL is an empty field, the empty string `""`.
class CsvResultWriter : public ResultSink {
 public:
  CsvResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

 private:
  void write_header();
  void write_row(const Batch& results, std::size_t row);

  ResultLayout layout_;
  TimeFormatter times_;
  OutputFile& output_;
  std::vector<RepeatedText> bounds_;
};

}  // namespace tidemark
