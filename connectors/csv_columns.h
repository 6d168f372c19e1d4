// Rows of a CSV index into the columns of batches, a column at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/csv_decoder.h"
#include "tidemark/connectors/csv_index.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Reads what CsvDecoder reads and refuses the same rows; only it says why. Columns that the plan
// does not need are not looked at. Not thread-safe.
class CsvColumns {
 public:
  explicit CsvColumns(const CsvPlan& plan);

  // Appends to `batch`, which has room for them, those of the rows [first, first + count) of
  // `index` that are good; each has as many cells as the plan has columns. `text` is what was
  // indexed. Returns the numbers of the others, rising, valid until the next call.
  const std::vector<std::size_t>& append(std::string_view text, const CsvIndex& index,
                                         std::size_t first, std::size_t count, Batch& batch);

 private:
  class Cells;

  Cells cells_of(std::size_t column) const;
  void read_times(const Cells& cells, EventTime* times);
  void read_watermarks(const Cells& cells, std::int64_t* watermarks);
  void read_value(std::size_t index, Column& column);
  void read_int64s(const Cells& cells, Column& column);
  void read_doubles(const Cells& cells, Column& column);
  void read_checked(const CsvPlan::Value& value, Column& column);
  void read_strings(const Cells& cells, Column& column);
  void read_raw(Column& column);
  void drop_bad(Batch& batch);

  const CsvPlan& plan_;
  EventTimeParser time_parser_;
  bool numeric_times_;
  CsvDecoder decoder_;
  CsvRow row_;
  std::string unescaped_;

  // The rows being read.
  const char* text_ = nullptr;
  const std::uint32_t* ends_ = nullptr;
  std::size_t count_ = 0;
  std::size_t at_ = 0;  // their first place in the batch
  std::vector<std::size_t> bad_;
  std::vector<std::uint16_t> good_;
};

}  // namespace tidemark
