#include "cli/explain_command.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/cores_argument.h"
#include "cli/user_error.h"
#include "cli/window_arguments.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/operators/plan.h"

namespace tidemark::cli {

namespace {

constexpr const char* kExplainExamples = R"(Examples:
  tidemark explain 'gen:orders?keys=10k' --key user_id --window 'sliding size=1h slide=1s' --agg 'count, sum(amount), max(amount)'
  tidemark explain 'gen:orders' --window 'sliding size=1h slide=1s' --window 'tumbling size=1d' --strategy recompute
)";

// The columns and types come from the input's header and first rows.
struct BoundQuery {
  WindowQuery query;
  std::optional<StreamShape> stream;
};

BoundQuery bound_query(const WindowArguments& arguments) {
  WindowQuery query = query_of(arguments);
  // Nothing runs and nothing is written, but what would be refused then is refused now.
  (void)result_style_of(arguments);
  (void)choose_cores(arguments.cores, cpu_allowance());
  WindowInput input = value_or_throw(open_window_input(input_options_of(arguments, query)));
  query.keys = std::move(input.keys);
  query.values = std::move(input.values);
  query.aggregates = std::move(input.aggregates);
  query.windows = std::move(input.windows);
  value_or_throw(validate(query));
  const std::optional<StreamShape> stream = stream_of(arguments, input);
  return {std::move(query), stream};
}

void explain(const WindowArguments& arguments) {
  const BoundQuery bound = bound_query(arguments);
  const std::unique_ptr<OutputFile> output = value_or_throw(OutputFile::open("-"));
  for (const WindowPlan& plan : plan_query(bound.query, bound.stream)) {
    output->buffer().append(to_string(plan));
    output->buffer().push_back('\n');
  }
  output->close();
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "explain", "print the plan of a windowed job: slices, strategy and why, predicted cost");
  const auto arguments = std::make_shared<WindowArguments>();
  add_window_options(*command, *arguments);
  command->footer(kExplainExamples);
  command->callback([arguments, &exit_code] {
    explain(*arguments);
    exit_code = kExitDone;
  });
}

}  // namespace tidemark::cli
