// CSV rows into the columns of batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// A row is bad, whatever a filter says, if its number of fields is not the header's, its quotes are
// broken, its time is NULL or bad, a value cell is neither NULL nor a number of its column's type,
// a cell compared with a number is neither, a session gap is no
// whole number above 0, or a watermark is no time. In number columns a quoted empty cell is NULL
// too, as some programs quote every cell. Not thread-safe.
class CsvDecoder {
 public:
  explicit CsvDecoder(const CsvPlan& plan);

  // Appends the row to `batch`, which is not full and has the plan's schema. False if the row is
  // bad; then `batch` is unchanged and reason() tells why.
  bool decode(const CsvRow& row, Batch& batch);

  struct Number {
    std::int64_t bits = 0;  // of the int64 or the double
    bool null = false;
  };
  // One value column of the plan; looks only at the cells that it names. As decode().
  bool read_value(const CsvRow& row, const CsvPlan::Value& value, Number& number);

  const std::string& reason() const { return reason_; }

 private:
  bool check_shape(const CsvRow& row);
  bool read_time(const CsvRow& row, EventTime& time);
  bool read_watermark(const CsvRow& row, EventTime& watermark);
  bool evaluate(const CsvRow& row, const CsvPlan::Filter& filter, bool& fulfilled);
  bool refuse_number(const CsvField& cell, const CsvPlan::Value& value, bool out_of_range);
  bool refuse_time(std::size_t column, const CsvField& cell);
  bool refuse_gap(const CsvField& cell, const CsvPlan::Value& value);
  std::string_view value_of(const CsvField& cell);
  std::int64_t read_text(const CsvField& cell, const CsvPlan::Value& value);
  void write_string(const CsvField& cell, Column& column, std::size_t at);

  const CsvPlan& plan_;
  EventTimeParser time_parser_;
  // Cells are written once the whole row is known to be good.
  std::vector<Number> numbers_;
  std::string unescaped_;
  std::string reason_;
};

}  // namespace tidemark
