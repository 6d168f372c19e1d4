// CSV text through the CSV source, as rows that tests can compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/file_source.h"

namespace tidemark::test_support {

// A file of its own for each test, gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct CsvRead {
  std::vector<std::string> rows;  // "time|cell|cell", NULL as <null>
  std::vector<std::string> bad;   // "line: raw"
  std::vector<std::string> reasons;
  std::uint64_t bad_count = 0;
};

// Reads to the end. Throws std::runtime_error if the source cannot be opened.
CsvRead read_csv(FileSourceOptions options, std::size_t batch_rows = 16);

// The file's column `ts` is the time, in ms.
FileSourceOptions csv_options(const TemporaryFile& file);

// Why a source cannot be opened; empty if it can.
std::string csv_refusal(FileSourceOptions options);

// Columns ts, k and v, with quotes, line breaks, blank lines and broken rows.
std::string random_csv(std::mt19937_64& random, std::size_t rows);

}  // namespace tidemark::test_support
