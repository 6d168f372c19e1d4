#include "tidemark/connectors/bad_output.h"

#include <string_view>

#include "tidemark/connectors/csv_text.h"
#include "tidemark/connectors/number_text.h"

namespace tidemark {

BadOutput::BadOutput(OutputFile& output) : output_(output) {
  output_.buffer().append(std::string_view("line,reason,text\n"));
}

void BadOutput::accept(const BadRow& row) {
  fmt::memory_buffer& out = output_.buffer();
  append_integer(static_cast<std::int64_t>(row.line), out);
  out.push_back(',');
  append_csv_field(row.reason, out);
  out.push_back(',');
  append_csv_field(row.raw, out);
  out.push_back('\n');
  output_.written();
}

void BadOutput::finish() { output_.flush(); }

}  // namespace tidemark
