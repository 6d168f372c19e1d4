#include "cli/report_output.h"

#include <fmt/format.h>
#include <mimalloc.h>

#include "cli/build_info.h"
#include "cli/user_error.h"
#include "tidemark/perf/html_report.h"

namespace tidemark::cli {

Build describe_build() {
  const BuildInfo& info = build_info();
  const int allocator = mi_version();
  return {info.version,
          info.commit,
          info.compiler,
          info.build_type,
          info.flags,
          fmt::format("mimalloc {}.{}.{}", allocator / 100, allocator / 10 % 10, allocator % 10)};
}

std::unique_ptr<OutputFile> open_report(const std::string& path) {
  return path.empty() ? nullptr : value_or_throw(OutputFile::open(path));
}

void write_report(OutputFile* file, const std::string& text) {
  if (file == nullptr) return;
  file->buffer().append(text);
  file->close();
}

void write_page(OutputFile* file, const std::string& name, const std::string& json) {
  if (file == nullptr) return;
  write_report(file, value_or_throw(html_report({{name, json}})));
}

}  // namespace tidemark::cli
