// Results of a window stage by itself, each into a checksum.
#pragma once

#include <cstdint>

#include "tidemark/operators/query.h"
#include "tidemark/operators/result_emitter.h"
#include "tidemark/perf/checksum_sink.h"

namespace tidemark::bench {

class ChecksumOutput final : public ResultOutput {
 public:
  explicit ChecksumOutput(const WindowQuery& query) : batch_(query.result_schema(), 256) {}

  Batch* acquire() override { return &batch_; }
  void deliver(Batch* results) override {
    sink_.accept(*results);
    results->clear();
  }
  bool reads_in_place() const override { return true; }
  std::uint64_t checksum() const { return sink_.checksum(); }

 private:
  Batch batch_;
  ChecksumSink sink_;
};

}  // namespace tidemark::bench
