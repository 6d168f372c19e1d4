#include "cli/gen_command.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/signal_watch.h"
#include "cli/user_error.h"
#include "tidemark/connectors/generated_records.h"
#include "tidemark/connectors/generator_parameters.h"
#include "tidemark/connectors/output_file.h"

namespace tidemark::cli {

namespace {

constexpr const char* kGenExamples = R"(Examples:
  tidemark gen orders --rows 5
  tidemark gen orders --rows 1000 --keys 100 --skew zipf:1.1 --disorder 2s --seed 7 --output -
  tidemark gen nexmark-bid --rows 5 --format ndjson
  tidemark gen ysb --rows 5
)";

struct Parameter {
  const char* name;
  const char* help;
  std::string value;
};

struct GenArguments {
  std::string kind;
  std::string format = "csv";
  std::string output = "-";
  bool live = false;
  std::array<Parameter, 7> parameters{{
      {"rows", "how many rows, such as 250000 or 20M; default 1M", ""},
      {"keys", "users of orders; default 1000", ""},
      {"rate", "rows per second of event time, such as 500000/s; default 10000", ""},
      {"start", "event time of the first row; default 2026-01-01T00:00:00Z", ""},
      {"disorder", "rows lie up to this duration before their turn; default 0", ""},
      {"skew", "of the users: uniform (default), zipf:S or hot:F", ""},
      {"seed", "another seed, another stream; default 1", ""},
  }};
};

RecordFormat format_of(const GenArguments& arguments) {
  if (arguments.format == "csv") return RecordFormat::kCsv;
  if (arguments.format == "ndjson" || arguments.format == "json") return RecordFormat::kNdjson;
  throw UserError(fmt::format("--format must be csv or ndjson, not {}", arguments.format));
}

int generate(const GenArguments& arguments) {
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  GeneratorParameters parameters;
  parameters.live = arguments.live;
  for (const Parameter& parameter : arguments.parameters) {
    if (parameter.value.empty()) continue;
    value_or_throw(parameters.set(parameter.name, parameter.value));
  }
  const RecordFormat format = format_of(arguments);
  const std::unique_ptr<GeneratedRecords> records =
      value_or_throw(make_generated_records(arguments.kind, parameters));
  const std::unique_ptr<OutputFile> output = value_or_throw(OutputFile::open(arguments.output));
  try {
    write_generated_records(*records, parameters, format, cancellation, *output);
    output->close();
  } catch (const BrokenPipe&) {
    throw;
  } catch (const std::exception& error) {
    const std::string left = output->give_up();
    if (left.empty()) throw;
    throw std::runtime_error(
        fmt::format("{}; what was written before is in {}", error.what(), left));
  }
  return signals.exit_code(kExitDone);
}

}  // namespace

void add_gen_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("gen", "write a generated stream, the same for the same options");
  const auto arguments = std::make_shared<GenArguments>();
  command->add_option("KIND", arguments->kind, "orders, nexmark-bid or ysb")->required();
  for (Parameter& parameter : arguments->parameters) {
    command->add_option(fmt::format("--{}", parameter.name), parameter.value, parameter.help);
  }
  command->add_flag("--live", arguments->live, "write rows in real time, as their times say");
  command->add_option("--format", arguments->format, "csv (default) or ndjson");
  command->add_option("--output", arguments->output, "a file, or - for standard output (default)");
  command->footer(kGenExamples);
  command->callback([arguments, &exit_code] { exit_code = generate(*arguments); });
}

}  // namespace tidemark::cli
