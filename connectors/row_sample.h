// The columns and the first rows of an input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/csv_scanner.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

class RowSample {
 public:
  virtual ~RowSample() = default;

  virtual const std::vector<std::string>& columns() const = 0;

  // The column of that name. Refuses a name that no column, or more than one, has.
  virtual Expected<std::size_t> find(std::string_view name) const = 0;

  // The next of the first rows, good or bad, or false. `row.fields` has room for all columns. The
  // cells hold as long as the sample.
  virtual bool next(CsvRow& row) = 0;
};

}  // namespace tidemark
