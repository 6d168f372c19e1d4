// A CSV input that is a regular file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/csv_input.h"
#include "tidemark/connectors/csv_scanner.h"

namespace tidemark {

// Maps the file and hands out views of it; pages that have been parsed are given back, so that
// resident memory does not grow with the file.
class MappedCsvInput final : public CsvInput {
 public:
  // From the descriptor's current position to the file's present end. The mapping outlives the
  // descriptor.
  static Expected<std::unique_ptr<CsvInput>> map(int descriptor, std::string name,
                                                 const CsvSourceOptions& options);
  ~MappedCsvInput() override;
  MappedCsvInput(const MappedCsvInput&) = delete;
  MappedCsvInput& operator=(const MappedCsvInput&) = delete;

  Expected<std::string_view> sample() override;
  void skip(std::size_t bytes) override { at_ += bytes; }
  Status next(std::string& storage, std::string_view& rows) override;
  void wait(int wake_descriptor) override { (void)wake_descriptor; }
  void release(std::string_view rows) override;

 private:
  MappedCsvInput(std::string name, char* mapping, std::size_t size, std::size_t begin,
                 const CsvSourceOptions& options);

  char* mapping_;
  std::size_t size_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t released_ = 0;  // bytes of the mapping given back
  CsvRowBoundary boundary_;
  char delimiter_;
  std::size_t chunk_bytes_;
  std::size_t max_row_bytes_;
};

}  // namespace tidemark
