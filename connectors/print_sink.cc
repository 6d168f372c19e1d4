#include "tidemark/connectors/print_sink.h"

#include <cstdio>
#include <stdexcept>

#include "tidemark/connectors/ordered_results.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

namespace {

std::unique_ptr<OutputFile> open_standard_output() {
  // What the program printed before comes first.
  std::fflush(stdout);
  auto output = OutputFile::open("-");
  if (!output) throw std::runtime_error(output.error().message);
  return *std::move(output);
}

ResultLayout layout_of(const ResultShape& shape) {
  ResultLayout layout = result_layout(shape.query);
  std::size_t key = 0;
  for (ResultColumn& column : layout.columns) {
    if (column.kind == ResultColumnKind::kKey) column.is_unsigned = shape.unsigned_keys[key++];
  }
  return layout;
}

TimeFormatter times_of(const WindowQuery& query) {
  if (query.zone.empty()) return TimeFormatter(TimeStyle::kIso);
  auto formatter = TimeFormatter::in_zone(TimeStyle::kIso, query.zone);
  if (!formatter) throw std::invalid_argument(formatter.error().message);
  return *formatter;
}

class PrintSink final : public ResultSink {
 public:
  PrintSink(ResultFormat format, const ResultShape& shape)
      : output_(open_standard_output()),
        writer_(make_result_writer(format, layout_of(shape), times_of(shape.query), *output_)),
        ordered_(shape.query, *writer_, shape.unsigned_keys) {}

  void accept(const Batch& results) override { ordered_.accept(results); }
  void on_watermark(EventTime watermark) override { ordered_.on_watermark(watermark); }
  void finish() override { ordered_.finish(); }

 private:
  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<ResultSink> writer_;
  OrderedResults ordered_;
};

}  // namespace

std::unique_ptr<ResultSink> Print::make_sink(const ResultShape& shape) const {
  return std::make_unique<PrintSink>(format, shape);
}

}  // namespace tidemark
