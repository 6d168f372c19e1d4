#include "tidemark/perf/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/job_json.h"
#include "tidemark/perf/machine_json.h"
#include "tidemark/perf/rank_test.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

std::vector<double> suite_rates(const SuiteEntry& entry) {
  std::vector<double> rates;
  for (const ThroughputRun& run : entry.repeats) rates.push_back(run.rows_per_second());
  return rates;
}

ordered_json entry_json(const SuiteEntry& entry) {
  const bool has_count = entry.instructions.has_value();
  return {{"name", entry.job.name},
          {"what", entry.job.what},
          {"options", job_json(entry.job.options)},
          {"counters", counters_json(entry.repeats.front())},
          {"expected",
           {{"checksum", checksum_text(entry.expected.checksum)},
            {"results", entry.expected.results},
            {"rows_on_time", entry.expected.rows_on_time},
            {"rows_late", entry.expected.rows_late}}},
          {"checks",
           {{"results_right", entry.results_right()}, {"counters_agree", entry.counters_agree()}}},
          {"instructions", has_count ? ordered_json(*entry.instructions) : ordered_json(nullptr)},
          {"throughput", {{"rows_per_second", suite_rates(entry)}}}};
}

double per(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string entry_line(const SuiteEntry& entry) {
  std::vector<double> rates = suite_rates(entry);
  std::sort(rates.begin(), rates.end());
  const RunReport& report = entry.repeats.front().report;
  const std::string instructions =
      entry.instructions
          ? fmt::format("{:.1f}", per(*entry.instructions, entry.job.options.stream.rows))
          : "-";
  return fmt::format(
      "  {:<23} {:>8} {:>8} {:>8} {:>8} {:>9.4g} {:>9.4g} {:>8} {:>8}\n", entry.job.name,
      short_count(median_of(rates)), short_count(rates.front()), short_count(rates.back()),
      report.results, per(report.state.updates, report.rows_on_time),
      per(report.state.merges, report.windows_fired), report.state.peak_live_entries, instructions);
}

std::string verdict_text(const SuiteResult& result) {
  std::string text;
  for (const SuiteEntry& entry : result.entries) {
    if (!entry.results_right()) {
      text += fmt::format("WRONG    {}: results differ from the plain computation, checksum {}\n",
                          entry.job.name, checksum_text(entry.expected.checksum));
    }
    if (!entry.counters_agree()) {
      text += fmt::format("WRONG    {}: counters differ from pass to pass\n", entry.job.name);
    }
  }
  if (!text.empty()) return text;
  return "check    every pass of every job, on one worker and on two, has the results of the "
         "plain\n"
         "         computation, and all counters are the same in every pass\n";
}

}  // namespace

std::string suite_json(const SuiteResult& result, const Machine& machine, const Build& build) {
  ordered_json entries = ordered_json::array();
  for (const SuiteEntry& entry : result.entries) entries.push_back(entry_json(entry));
  ordered_json report;
  report["schema"] = "tidemark-bench/2";
  report["machine"] = machine_json(machine);
  report["build"] = build_json(build);
  report["options"] = {{"suite", result.name}};
  for (const char* part : {"throughput", "latency", "rates", "recorder", "state"}) {
    report[part] = nullptr;
  }
  report["checks"] = {{"right", result.right()}};
  report["counters"] = nullptr;
  report["instructions_by"] = result.instructions_by;
  report["suite"] = entries;
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string suite_text(const SuiteResult& result, const Machine& machine, const Build& build) {
  const std::size_t jobs = result.entries.size();
  const std::size_t passes = jobs == 0 ? 0 : result.entries.front().repeats.size();
  std::string text =
      fmt::format("suite    {}: {} job{}, {} pass{} each, on one worker\n", result.name, jobs,
                  jobs == 1 ? "" : "s", passes, passes == 1 ? "" : "es");
  text += fmt::format("machine  {}\n", machine_text(machine));
  text += fmt::format("build    {} {}, {}, {} {}, {}\n\n", build.version, build.commit,
                      build.compiler, build.build_type, build.flags, build.allocator);
  text += fmt::format("  {:<23} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8}\n", "", "rows/s",
                      "", "", "", "updates", "merges", "live", "instr.");
  text += fmt::format("  {:<23} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8}\n", "job", "median",
                      "min", "max", "results", "per row", "per slide", "entries", "per row");
  for (const SuiteEntry& entry : result.entries) text += entry_line(entry);
  text += fmt::format("\ninstructions: {}\n", result.instructions_by);
  return text + verdict_text(result);
}

}  // namespace tidemark
