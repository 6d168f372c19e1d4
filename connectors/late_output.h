// Files for the rows that no result holds: late rows, and bad rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/connectors/output_file.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"

namespace tidemark {

// Late rows as CSV: the input's own header and rows as they were read, with a last column `reason`,
// such as `late: 3 ms behind the watermark`. For inputs without text the columns are event_time
// (ms), the keys and the values. Writing throws what OutputFile throws. `output` must
// outlive it.
class LateOutput : public LateSink {
 public:
  // The raw text of a row is in its last carried column, and `header` is the input's header line.
  // Text that is not CSV itself goes into one column.
  enum class Text : std::uint8_t { kCsv, kOther };
  static std::unique_ptr<LateOutput> of_text(const WindowQuery& query, std::string_view header,
                                             OutputFile& output, Text text = Text::kCsv);
  static std::unique_ptr<LateOutput> of_columns(const WindowQuery& query, OutputFile& output);

  void accept(const Batch& rows, std::size_t row, EventTime watermark) override;
  void finish() override;

 private:
  LateOutput(std::optional<std::size_t> text_column, Text text, std::size_t columns,
             OutputFile& output);
  void append_columns(const Batch& rows, std::size_t row);

  std::optional<std::size_t> text_column_;
  Text text_;
  std::size_t columns_;
  OutputFile& output_;
};

}  // namespace tidemark
