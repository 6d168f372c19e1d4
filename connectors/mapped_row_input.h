// An input that is a regular file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/row_cutter.h"
#include "tidemark/connectors/row_input.h"

namespace tidemark {

// Maps the file and hands out views of it; pages that have been parsed are given back, so that
// resident memory does not grow with the file.
class MappedRowInput final : public RowInput {
 public:
  // From the descriptor's current position to the file's present end. The mapping outlives the
  // descriptor.
  static Expected<std::unique_ptr<RowInput>> map(int descriptor, std::string name,
                                                 const FileSourceOptions& options,
                                                 std::unique_ptr<RowBoundary> boundary);
  ~MappedRowInput() override;
  MappedRowInput(const MappedRowInput&) = delete;
  MappedRowInput& operator=(const MappedRowInput&) = delete;

  Expected<std::string_view> sample() override;
  void skip(std::size_t bytes) override;
  Status next(RowRun& run) override;
  void wait(int wake_descriptor) override { (void)wake_descriptor; }
  void release(std::string_view rows) override;
  std::optional<std::string> end_problem() const override {
    return cutter_.boundary().end_problem();
  }

 private:
  MappedRowInput(std::string name, char* mapping, std::size_t size, std::size_t begin,
                 const FileSourceOptions& options, std::unique_ptr<RowBoundary> boundary);

  char* mapping_;
  std::size_t size_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t released_ = 0;  // bytes of the mapping given back
  RowCutter cutter_;
  std::size_t chunk_bytes_;
  std::size_t max_row_bytes_;
};

}  // namespace tidemark
