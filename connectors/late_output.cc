#include "tidemark/connectors/late_output.h"

#include <iterator>
#include <memory>

#include "tidemark/connectors/csv_text.h"
#include "tidemark/connectors/number_text.h"

namespace tidemark {

namespace {

std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

void append_cell(const Column& column, std::size_t row, fmt::memory_buffer& out) {
  if (column.is_null(row)) return;
  if (column.type() == ColumnType::kString) {
    append_csv_field(column.string(row), out);
  } else if (column.type() == ColumnType::kDouble) {
    append_double(column.doubles()[row], out);
  } else {
    append_integer(column.int64s()[row], out);
  }
}

}  // namespace

LateOutput::LateOutput(std::optional<std::size_t> text_column, Text text, std::size_t columns,
                       OutputFile& output)
    : text_column_(text_column), text_(text), columns_(columns), output_(output) {}

std::unique_ptr<LateOutput> LateOutput::of_text(const WindowQuery& query, std::string_view header,
                                                OutputFile& output, Text text) {
  fmt::memory_buffer& out = output.buffer();
  out.append(without_line_end(header));
  out.append(std::string_view(",reason\n"));
  const std::size_t columns = query.keys.size() + query.values.size() + query.carried.size();
  return std::unique_ptr<LateOutput>(new LateOutput(columns - 1, text, columns, output));
}

std::unique_ptr<LateOutput> LateOutput::of_columns(const WindowQuery& query, OutputFile& output) {
  fmt::memory_buffer& out = output.buffer();
  out.append(std::string_view("event_time"));
  const std::size_t columns = query.keys.size() + query.values.size();
  const Schema schema = query.row_schema();
  for (std::size_t i = 0; i < columns; ++i) {
    out.push_back(',');
    append_csv_field(schema[i].name, out);
  }
  out.append(std::string_view(",reason\n"));
  return std::unique_ptr<LateOutput>(new LateOutput(std::nullopt, Text::kCsv, columns, output));
}

void LateOutput::accept(const Batch& rows, std::size_t row, EventTime watermark) {
  fmt::memory_buffer& out = output_.buffer();
  if (text_column_) {
    const std::string_view text = without_line_end(rows.column(*text_column_).string(row));
    if (text_ == Text::kCsv) {
      out.append(text);
    } else {
      append_csv_field(text, out);
    }
  } else {
    append_columns(rows, row);
  }
  fmt::format_to(std::back_inserter(out), ",late: {} ms behind the watermark\n",
                 watermark - rows.times()[row]);
  output_.written();
}

void LateOutput::append_columns(const Batch& rows, std::size_t row) {
  fmt::memory_buffer& out = output_.buffer();
  append_integer(rows.times()[row], out);
  for (std::size_t i = 0; i < columns_; ++i) {
    out.push_back(',');
    append_cell(rows.column(i), row, out);
  }
}

void LateOutput::finish() { output_.flush(); }

}  // namespace tidemark
