#include "cli/suite_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cli/progress_line.h"
#include "cli/report_output.h"
#include "cli/shared_files.h"
#include "cli/signal_watch.h"
#include "cli/stream_arguments.h"
#include "cli/user_error.h"
#include "tidemark/perf/bench_suite.h"
#include "tidemark/perf/machine.h"
#include "tidemark/perf/suite_instructions.h"
#include "tidemark/perf/suite_report.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark::cli {

namespace {

constexpr std::uint64_t kMostSuiteRepeats = 1'000;

std::vector<SuiteJob> jobs_of(const SuiteArguments& arguments) {
  if (arguments.suite != "ci") {
    throw UserError(fmt::format("--suite must be ci, but is {}", arguments.suite));
  }
  std::vector<SuiteJob> jobs = ci_suite();
  if (arguments.job.empty()) return jobs;
  std::erase_if(jobs, [&](const SuiteJob& job) { return job.name != arguments.job; });
  if (jobs.empty()) throw UserError(fmt::format("the suite has no job {}", arguments.job));
  return jobs;
}

}  // namespace

int run_suite_command(const SuiteArguments& arguments, const SuiteMeasurement& measure) {
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  if (arguments.job == kNoSuiteJob) return kExitDone;
  const std::vector<SuiteJob> jobs = jobs_of(arguments);
  // What is counted is one pass, and nothing else.
  if (!arguments.job.empty()) {
    run_suite_job(jobs.front(), &cancellation);
    return signals.exit_code(kExitDone);
  }
  SuiteOptions options;
  options.repeats = positive_count("--repeat", arguments.repeat, kMostSuiteRepeats);
  options.cancellation = &cancellation;
  refuse_shared_files({}, {{"--json", arguments.json}, {"--html", arguments.html}});
  const std::unique_ptr<OutputFile> json = open_report(arguments.json);
  const std::unique_ptr<OutputFile> html = open_report(arguments.html);
  std::optional<StepLine> line;
  if (arguments.progress) {
    line.emplace("job");
    options.on_job = std::ref(*line);
  }
  SuiteResult result = value_or_throw(measure(arguments.suite, jobs, options));
  if (arguments.instructions && !result.cancelled) {
    if (arguments.progress) {
      line.emplace("instructions of job");
      options.on_job = std::ref(*line);
    }
    count_suite_instructions(result, options);
    result.cancelled = cancellation.requested();
  }
  line.reset();
  if (result.cancelled) {
    fmt::print(stderr, "tidemark: stopped before the measurement was complete\n");
    return signals.exit_code(kExitDone);
  }
  const Machine machine = describe_machine(cpu_allowance());
  const Build build = describe_build();
  const std::string document = suite_json(result, machine, build);
  write_report(json.get(), document);
  write_page(html.get(), "suite.json", document);
  const std::unique_ptr<OutputFile> out = open_report("-");
  write_report(out.get(), suite_text(result, machine, build));
  return result.right() ? kExitDone : kExitWrongResult;
}

}  // namespace tidemark::cli
