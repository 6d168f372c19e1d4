// Results as an aligned table, for reading on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/result_writer.h"
#include "tidemark/connectors/time_formatter.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

// Numbers stand to the right, all else to the left; NULL is `NULL`. Column widths come from the
// first kWidthRows rows, which are held back until then; a wider cell later on pushes its own row
// aside. Where somebody watches, rows are held for one second at most.
class TableResultWriter : public ResultSink {
 public:
  static constexpr std::size_t kWidthRows = 1000;

  TableResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

 private:
  using Row = std::vector<std::string>;

  Row row_text(const Batch& results, std::size_t row);
  std::string cell_text(const Column& column, std::size_t index, std::size_t row);
  void settle_widths();
  void write_row(const Row& row);

  ResultLayout layout_;
  TimeFormatter times_;
  OutputFile& output_;
  Row titles_;
  std::vector<bool> right_;
  std::vector<std::size_t> widths_;  // empty until settled
  std::vector<Row> held_;
  Clock::time_point held_since_{};
};

}  // namespace tidemark
