#include "cli/report_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/shared_files.h"
#include "cli/user_error.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/perf/html_report.h"

namespace tidemark::cli {

namespace {

constexpr const char* kReportExamples =
    R"(Documents are what bench, profile and compare write with --json, and histories.

Examples:
  tidemark bench --rows 200k --repeat 2 --rate max --json bench.json
  tidemark report bench.json --html report.html
)";

struct ReportArguments {
  std::vector<std::string> inputs;
  std::string html;
};

ReportDocument read_document(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw UserError(fmt::format("cannot read {}: {}", path, std::strerror(file ? EISDIR : errno)));
  }
  return {std::filesystem::path(path).filename().string(),
          {std::istreambuf_iterator<char>(file), {}}};
}

int make_report(const ReportArguments& arguments) {
  refuse_shared_files(arguments.inputs, {{"--html", arguments.html}});
  std::vector<ReportDocument> documents;
  for (const std::string& input : arguments.inputs) {
    documents.push_back(read_document(input));
  }
  const std::string page = value_or_throw(html_report(documents));
  const std::unique_ptr<OutputFile> output = value_or_throw(OutputFile::open(arguments.html));
  output->buffer().append(page);
  output->close();
  if (arguments.html != "-") fmt::print("{}\n", arguments.html);
  return kExitDone;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report", "make one HTML page with charts of JSON that was written before");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("FILE", arguments->inputs, "JSON of bench, profile or compare, or a history")
      ->required();
  command->add_option("--html", arguments->html, "the page; it opens without a network")
      ->required();
  command->footer(kReportExamples);
  command->callback([arguments, &exit_code] { exit_code = make_report(*arguments); });
}

}  // namespace tidemark::cli
