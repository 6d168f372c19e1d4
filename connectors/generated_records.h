// Generated streams as text, a record a row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "tidemark/connectors/generator_parameters.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/record_text.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// Writes any row of a stream; the same parameters give the same row.
class GeneratedRecords {
 public:
  virtual ~GeneratedRecords() = default;
  virtual std::span<const std::string_view> names() const = 0;
  virtual void append(std::uint64_t row, RecordText& out) const = 0;
  // ms from the start of the stream until the row is due.
  virtual std::int64_t due(std::uint64_t row) const = 0;
};

// `kind` is orders, nexmark-bid or ysb; refuses others, and parameters that cannot be generated.
Expected<std::unique_ptr<GeneratedRecords>> make_generated_records(
    std::string_view kind, const GeneratorParameters& parameters);

// Writes rows 0 to parameters.rows - 1, in real time if parameters.live, until done or cancelled,
// and returns their number. Throws what OutputFile throws. Leaves `output` open.
std::uint64_t write_generated_records(const GeneratedRecords& records,
                                      const GeneratorParameters& parameters, RecordFormat format,
                                      const Cancellation& cancellation, OutputFile& output);

}  // namespace tidemark
