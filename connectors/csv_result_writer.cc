#include "tidemark/connectors/csv_result_writer.h"

#include <utility>

#include "tidemark/connectors/csv_text.h"
#include "tidemark/connectors/number_text.h"

namespace tidemark {

CsvResultWriter::CsvResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output)
    : layout_(std::move(layout)), times_(times), output_(output), bounds_(layout_.columns.size()) {
  write_header();
}

void CsvResultWriter::write_header() {
  fmt::memory_buffer& out = output_.buffer();
  if (layout_.numbered_windows) {
    append_csv_field(kWindowNumberColumn, out);
    out.push_back(',');
  }
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_csv_field(layout_.columns[i].field.name, out);
  }
  out.push_back('\n');
}

void CsvResultWriter::accept(const Batch& results) {
  for (std::size_t row = 0; row < results.size(); ++row) write_row(results, row);
  output_.written();
}

void CsvResultWriter::write_row(const Batch& results, std::size_t row) {
  fmt::memory_buffer& out = output_.buffer();
  if (layout_.numbered_windows) {
    append_integer(std::int64_t{results.header.window} + 1, out);
    out.push_back(',');
  }
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    if (i > 0) out.push_back(',');
    const Column& column = results.column(i);
    if (column.has_nulls() && column.is_null(row)) continue;
    if (column.type() == ColumnType::kString) {
      append_csv_field(column.string(row), out);
    } else if (column.type() == ColumnType::kDouble) {
      append_double(column.doubles()[row], out);
    } else if (layout_.columns[i].kind == ResultColumnKind::kWindowBound) {
      bounds_[i].append(column.int64s()[row], out, [this](EventTime time, fmt::memory_buffer& to) {
        times_.append(time, to);
      });
    } else {
      append_integer(column.int64s()[row], layout_.columns[i].is_unsigned, out);
    }
  }
  out.push_back('\n');
}

void CsvResultWriter::on_watermark(EventTime) {
  if (output_.is_watched()) output_.flush();
}

void CsvResultWriter::finish() { output_.flush(); }

}  // namespace tidemark
