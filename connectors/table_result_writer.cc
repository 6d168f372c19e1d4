#include "tidemark/connectors/table_result_writer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "tidemark/connectors/number_text.h"

namespace tidemark {

namespace {

constexpr std::chrono::seconds kLongestHold{1};

// Characters, as far as UTF-8 tells: every byte but continuation bytes.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// A key with line breaks or escape codes must not break the table, or the terminal.
void append_printable(std::string_view text, fmt::memory_buffer& out) {
  for (const char c : text) {
    if (c == '\n') {
      out.append(std::string_view("\\n"));
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace

TableResultWriter::TableResultWriter(ResultLayout layout, TimeFormatter times, OutputFile& output)
    : layout_(std::move(layout)), times_(times), output_(output) {
  if (layout_.numbered_windows) {
    titles_.emplace_back(kWindowNumberColumn);
    right_.push_back(true);
  }
  for (const ResultColumn& column : layout_.columns) {
    titles_.push_back(column.field.name);
    right_.push_back(column.field.type != ColumnType::kString &&
                     column.kind != ResultColumnKind::kWindowBound);
  }
}

void TableResultWriter::accept(const Batch& results) {
  if (held_.empty()) held_since_ = Clock::now();
  for (std::size_t row = 0; row < results.size(); ++row) {
    Row text = row_text(results, row);
    if (widths_.empty()) {
      held_.push_back(std::move(text));
      if (held_.size() >= kWidthRows) settle_widths();
    } else {
      write_row(text);
    }
  }
  output_.written();
}

TableResultWriter::Row TableResultWriter::row_text(const Batch& results, std::size_t row) {
  Row text;
  text.reserve(titles_.size());
  if (layout_.numbered_windows) text.push_back(std::to_string(results.header.window + 1));
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    text.push_back(cell_text(results.column(i), i, row));
  }
  return text;
}

std::string TableResultWriter::cell_text(const Column& column, std::size_t index, std::size_t row) {
  if (column.has_nulls() && column.is_null(row)) return "NULL";
  fmt::memory_buffer text;
  if (column.type() == ColumnType::kString) {
    append_printable(column.string(row), text);
  } else if (column.type() == ColumnType::kDouble) {
    append_double(column.doubles()[row], text);
  } else if (layout_.columns[index].kind == ResultColumnKind::kWindowBound) {
    times_.append(column.int64s()[row], text);
  } else {
    append_integer(column.int64s()[row], layout_.columns[index].is_unsigned, text);
  }
  return fmt::to_string(text);
}

void TableResultWriter::settle_widths() {
  for (const std::string& title : titles_) widths_.push_back(display_width(title));
  for (const Row& row : held_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], display_width(row[i]));
    }
  }
  write_row(titles_);
  Row rule;
  for (const std::size_t width : widths_) rule.emplace_back(width, '-');
  write_row(rule);
  for (const Row& row : held_) write_row(row);
  held_.clear();
  held_.shrink_to_fit();
}

void TableResultWriter::write_row(const Row& row) {
  fmt::memory_buffer& out = output_.buffer();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out.append(std::string_view("  "));
    const std::size_t width = display_width(row[i]);
    const std::size_t padding = widths_[i] > width ? widths_[i] - width : 0;
    const bool right = right_[i];
    const bool last = i + 1 == row.size();
    if (right) out.append(std::string(padding, ' '));
    out.append(row[i]);
    if (!right && !last) out.append(std::string(padding, ' '));
  }
  out.push_back('\n');
}

void TableResultWriter::on_watermark(EventTime) {
  if (!output_.is_watched()) return;
  if (!held_.empty() && Clock::now() - held_since_ >= kLongestHold) settle_widths();
  output_.flush();
}

void TableResultWriter::finish() {
  if (widths_.empty()) settle_widths();
  output_.flush();
}

}  // namespace tidemark
