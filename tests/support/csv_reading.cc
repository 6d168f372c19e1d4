#include "support/csv_reading.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tidemark::test_support {

TemporaryFile::TemporaryFile(std::string_view text) {
  path_ = (std::filesystem::temp_directory_path() / "tidemark_csv_XXXXXX").string();
  const int descriptor = ::mkstemp(path_.data());
  if (descriptor < 0) throw std::runtime_error("cannot make " + path_);
  ::close(descriptor);
  std::ofstream(path_, std::ios::binary) << text;
}

TemporaryFile::~TemporaryFile() { std::filesystem::remove(path_); }

namespace {

std::string cell_text(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "<null>";
  if (column.type() == ColumnType::kInt64) return std::to_string(column.int64s()[row]);
  if (column.type() == ColumnType::kDouble) return fmt::format("{}", column.doubles()[row]);
  return std::string(column.string(row));
}

void add_rows(const Batch& batch, CsvRead& read) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    std::string text = std::to_string(batch.times()[row]);
    for (std::size_t i = 0; i < batch.column_count(); ++i) {
      text += '|';
      text += cell_text(batch.column(i), row);
    }
    read.rows.push_back(text);
  }
}

}  // namespace

CsvRead read_csv(FileSourceOptions options, std::size_t batch_rows) {
  CsvRead read;
  options.bad_rows = [&read](const BadRow& row) {
    read.bad.push_back(fmt::format("{}: {}", row.line, row.raw));
    read.reasons.push_back(row.reason);
  };
  const Expected<std::unique_ptr<FileSource>> source = FileSource::open(std::move(options));
  if (!source) throw std::runtime_error("refused: " + source.error().message);
  Parker parker;
  (*source)->start(parker);
  Batch batch((*source)->plan().schema, batch_rows);
  while (true) {
    const PollStatus status = (*source)->poll(batch);
    if (status == PollStatus::kEnd) break;
    if (status == PollStatus::kPending) parker.park();
    // Some rows stay, so that rows are appended behind others too.
    if (batch.size() < batch_rows / 2) continue;
    add_rows(batch, read);
    batch.clear();
  }
  add_rows(batch, read);
  (*source)->stop();
  read.bad_count = (*source)->bad_rows();
  return read;
}

FileSourceOptions csv_options(const TemporaryFile& file) {
  FileSourceOptions options;
  options.path = file.path();
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  return options;
}

std::string csv_refusal(FileSourceOptions options) {
  const Expected<std::unique_ptr<FileSource>> source = FileSource::open(std::move(options));
  return source ? "" : source.error().message;
}

std::string random_csv(std::mt19937_64& random, std::size_t rows) {
  const std::string end = random() % 2 == 0 ? "\n" : "\r\n";
  const std::vector<std::string> cells = {"a",           "",
                                          "\"\"",        "\"x,y\"",
                                          "\"l1\nl2\"",  "q\"q",
                                          "\"\"\"\"",    "\"two\r\nlines\"",
                                          "\"broken\"x", "long cell of text"};
  std::string text = "ts,k,v" + end;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool has_time = random() % 10 != 0;
    const std::string time = has_time ? fmt::format("{}", random() % 100000) : "x";
    const std::string& cell = cells[random() % cells.size()];
    text += fmt::format("{},{},{}", time, cell, random() % 50);
    if (random() % 12 == 0) text += ",extra";
    if (random() % 9 == 0) text += end;
    text += end;
  }
  if (random() % 3 == 0) text += "7,\"never closed\n8,b";
  return text;
}

}  // namespace tidemark::test_support
