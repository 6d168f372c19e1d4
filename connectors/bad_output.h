// A file for the rows that could not be used.
#pragma once

#include "tidemark/connectors/bad_row.h"
#include "tidemark/connectors/output_file.h"

namespace tidemark {

// CSV with the columns line, reason and text. Writing throws what OutputFile throws. `output` must
// outlive it.
class BadOutput {
 public:
  explicit BadOutput(OutputFile& output);

  void accept(const BadRow& row);
  void finish();

 private:
  OutputFile& output_;
};

}  // namespace tidemark
