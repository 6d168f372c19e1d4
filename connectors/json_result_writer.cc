#include "tidemark/connectors/json_result_writer.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "tidemark/connectors/canonical_integer.h"
#include "tidemark/connectors/json_text.h"
#include "tidemark/connectors/number_text.h"

namespace tidemark {

namespace {

void append_text(std::string_view text, fmt::memory_buffer& out) {
  out.append(text.data(), text.data() + text.size());
}

std::string prefix_of(std::string_view name, bool first) {
  fmt::memory_buffer text;
  text.push_back(first ? '{' : ',');
  append_json_string(name, text);
  text.push_back(':');
  return fmt::to_string(text);
}

}  // namespace

JsonResultWriter::JsonResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output)
    : layout_(std::move(layout)), times_(times), output_(output), bounds_(layout_.columns.size()) {
  if (layout_.numbered_windows) prefixes_.push_back(prefix_of(kWindowNumberColumn, true));
  for (const ResultColumn& column : layout_.columns) {
    prefixes_.push_back(prefix_of(column.field.name, prefixes_.empty()));
  }
}

void JsonResultWriter::accept(const Batch& results) {
  for (std::size_t row = 0; row < results.size(); ++row) write_row(results, row);
  output_.written();
}

void JsonResultWriter::write_row(const Batch& results, std::size_t row) {
  fmt::memory_buffer& out = output_.buffer();
  std::size_t prefix = 0;
  if (layout_.numbered_windows) {
    append_text(prefixes_[prefix++], out);
    append_integer(std::int64_t{results.header.window} + 1, out);
  }
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    append_text(prefixes_[prefix++], out);
    write_cell(results.column(i), i, row);
  }
  append_text("}\n", out);
}

void JsonResultWriter::write_cell(const Column& column, std::size_t index, std::size_t row) {
  fmt::memory_buffer& out = output_.buffer();
  if (column.has_nulls() && column.is_null(row)) {
    append_text("null", out);
  } else if (column.type() == ColumnType::kString) {
    const std::string_view text = column.string(row);
    if (layout_.columns[index].is_list || canonical_integer(text)) {
      append_text(text, out);
    } else {
      append_json_string(text, out);
    }
  } else if (column.type() == ColumnType::kDouble) {
    const double value = column.doubles()[row];
    std::isfinite(value) ? append_double(value, out) : append_text("null", out);
  } else if (layout_.columns[index].kind == ResultColumnKind::kWindowBound) {
    write_bound(index, column.int64s()[row]);
  } else {
    append_integer(column.int64s()[row], layout_.columns[index].is_unsigned, out);
  }
}

void JsonResultWriter::write_bound(std::size_t index, EventTime time) {
  bounds_[index].append(time, output_.buffer(), [this](EventTime value, fmt::memory_buffer& to) {
    if (!is_bound_in_time(value)) return append_text("null", to);
    const bool quoted = times_.style() == TimeStyle::kIso;
    if (quoted) to.push_back('"');
    times_.append(value, to);
    if (quoted) to.push_back('"');
  });
}

void JsonResultWriter::on_watermark(EventTime) {
  if (output_.is_watched()) output_.flush();
}

void JsonResultWriter::finish() { output_.flush(); }

}  // namespace tidemark
