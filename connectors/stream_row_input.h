// An input that is a pipe, a terminal or the like.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/connectors/row_cutter.h"
#include "tidemark/connectors/row_input.h"

namespace tidemark {

// Reads by blocks and hands out whatever rows have arrived, so a slow writer's row is not held
// until a block is full.
class StreamRowInput final : public RowInput {
 public:
  // Closes `descriptor` in the end if `owned`.
  StreamRowInput(int descriptor, bool owned, std::string name, const FileSourceOptions& options,
                 std::unique_ptr<RowBoundary> boundary);
  ~StreamRowInput() override;
  StreamRowInput(const StreamRowInput&) = delete;
  StreamRowInput& operator=(const StreamRowInput&) = delete;

  Expected<std::string_view> sample() override;
  void skip(std::size_t bytes) override;
  Status next(RowRun& run) override;
  void wait(int wake_descriptor) override;
  void release(std::string_view rows) override { (void)rows; }
  std::optional<std::string> end_problem() const override {
    return cutter_.boundary().end_problem();
  }

 private:
  bool readable_within(int timeout_ms) const;
  void read_block();
  void drop_byte_order_mark();
  void take_rows(RowRun& run);

  int descriptor_;
  bool owned_;
  bool started_ = false;  // the byte order mark has been looked for
  bool ended_ = false;
  std::string buffer_;  // read and not yet handed out
  RowCutter cutter_;
  std::size_t chunk_bytes_;
  std::size_t max_row_bytes_;
  const Cancellation* cancellation_;
};

}  // namespace tidemark
