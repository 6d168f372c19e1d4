#include "tidemark/perf/interleaved_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "tidemark/perf/hardware_instructions.h"
#include "tidemark/perf/instruction_count.h"
#include "tidemark/perf/shell_command.h"

namespace tidemark {

namespace {

constexpr std::string_view kJsonPlace = "{json}";

std::string with_json_path(std::string line, const std::string& path) {
  for (std::size_t at = line.find(kJsonPlace); at != std::string::npos;
       at = line.find(kJsonPlace, at + path.size())) {
    line.replace(at, kJsonPlace.size(), path);
  }
  return line;
}

std::string last_line_of(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

Figure process_figure(const char* name, const char* unit, double value) {
  Figure figure{name, unit, Better::kLower, FigureKind::kTiming};
  figure.samples.push_back(value);
  return figure;
}

Measurement measurement_of(const ShellCommandResult& result, const std::string& command) {
  Measurement measurement;
  measurement.source = command;
  measurement.schema = "process";
  measurement.figures.push_back(process_figure("wall time", "ns", result.wall_seconds * 1e9));
  measurement.figures.push_back(process_figure("CPU time", "ns", result.cpu_seconds * 1e9));
  measurement.figures.push_back(
      process_figure("peak memory", "B", static_cast<double>(result.peak_memory)));
  return measurement;
}

class InterleavedRunner {
 public:
  explicit InterleavedRunner(const InterleavedOptions& options)
      : options_(options), random_(options.seed) {}

  Expected<InterleavedRuns> run() {
    std::optional<Measurement> base, next;
    // The first pair warms up.
    Expected<void> ran = take_turns(1, base, next);
    base.reset();
    next.reset();
    if (ran && !cancelled_) ran = take_turns(options_.runs * options_.turns, base, next);
    if (cancelled_) return cancelled();
    if (!ran) return tl::unexpected(ran.error());
    InterleavedRuns runs{std::move(*base), std::move(*next), false};
    if (!options_.instructions) return runs;
    Expected<void> counted = count(options_.base_command, runs.base);
    if (counted) counted = count(options_.next_command, runs.next);
    if (cancelled_) return cancelled();
    if (!counted) return tl::unexpected(counted.error());
    return runs;
  }

 private:
  static InterleavedRuns cancelled() {
    InterleavedRuns runs;
    runs.cancelled = true;
    return runs;
  }

  static Expected<void> add(std::optional<Measurement>& all, Measurement one) {
    reduce_to_one_sample(one);
    if (all) return add_run(*all, one);
    all = std::move(one);
    return {};
  }

  Expected<void> take_turns(std::size_t turns, std::optional<Measurement>& base,
                            std::optional<Measurement>& next) {
    for (std::size_t i = 0; i < turns; ++i) {
      const bool base_first = random_() % 2 == 0;
      for (const bool is_base : {base_first, !base_first}) {
        Expected<Measurement> one =
            run_once(is_base ? options_.base_command : options_.next_command);
        if (!one) return tl::unexpected(one.error());
        if (cancelled_) return {};
        Expected<void> added = add(is_base ? base : next, std::move(*one));
        if (!added) return added;
      }
    }
    return {};
  }

  Expected<Measurement> run_once(const std::string& command) {
    if (options_.progress) options_.progress(done_, 2 * (options_.runs * options_.turns + 1));
    ++done_;
    const ScratchFolder folder;
    const std::string json = folder.path() + "/measurement.json";
    Expected<ShellCommandResult> result =
        run_shell_command(with_json_path(command, json), options_.cancellation);
    if (!result) return tl::unexpected(result.error());
    cancelled_ = cancelled_ || result->cancelled;
    if (cancelled_) return Measurement{};
    // Its own results were wrong, as its JSON says.
    constexpr int kExitWrongResult = 4;
    const bool may_tell = result->exit_code == kExitWrongResult && !options_.whole_process;
    if (result->exit_code != 0 && !may_tell) return failure(command, *result);
    if (may_tell) {
      Expected<Measurement> wrong = read_output(command, json, result->out);
      return wrong && !wrong->wrong.empty() ? wrong : failure(command, *result);
    }
    if (options_.whole_process) return measurement_of(*result, command);
    return read_output(command, json, result->out);
  }

  Expected<Measurement> read_output(const std::string& command, const std::string& json,
                                    const std::string& out) const {
    const bool to_file = command.find(kJsonPlace) != std::string::npos;
    std::string text = out;
    if (to_file) {
      std::ifstream file(json, std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(file), {});
    }
    if (text.find_first_not_of(" \t\r\n") == std::string::npos ||
        (!to_file && text[text.find_first_not_of(" \t\r\n")] != '{')) {
      return make_error(fmt::format(
          "`{}` wrote no JSON to {}: have it write JSON there (--benchmark_format=json, "
          "--json {{json}}), or measure the whole process with --wall-time",
          command, to_file ? "the file {json}" : "standard output"));
    }
    return read_measurement(text, "`" + command + "`", options_.time);
  }

  // By the CPU's counter, where the system lets a process have it, and else by valgrind.
  Expected<void> count(const std::string& command, Measurement& measurement) {
    const ScratchFolder folder;
    const std::string line = with_json_path(command, folder.path() + "/measurement.json");
    const Expected<HardwareInstructions> counter = HardwareInstructions::begin();
    const Expected<InstructionCount> counted =
        counter ? count_by_cpu(*counter, line) : count_instructions(line, options_.cancellation);
    if (!counted) return tl::unexpected(counted.error());
    cancelled_ = cancelled_ || counted->cancelled;
    Figure figure{"instructions", counter ? "by CPU" : "by valgrind", Better::kLower,
                  FigureKind::kInstructions};
    figure.samples.push_back(static_cast<double>(counted->instructions));
    measurement.figures.push_back(std::move(figure));
    return {};
  }

  // The counter goes on in processes that are started after it.
  Expected<InstructionCount> count_by_cpu(const HardwareInstructions& counter,
                                          const std::string& line) const {
    const Expected<ShellCommandResult> result = run_shell_command(line, options_.cancellation);
    if (!result) return tl::unexpected(result.error());
    if (result->cancelled) return InstructionCount{0, true};
    if (result->exit_code != 0) return failure(line, *result);
    const Expected<std::uint64_t> count = counter.count();
    if (!count) return tl::unexpected(count.error());
    return InstructionCount{*count, false};
  }

  static tl::unexpected<Error> failure(const std::string& command,
                                       const ShellCommandResult& result) {
    const std::string said = last_line_of(result.err);
    return make_error(fmt::format("`{}` ended with exit code {}{}", command, result.exit_code,
                                  said.empty() ? "" : ": " + said));
  }

  const InterleavedOptions& options_;
  std::mt19937_64 random_;
  std::size_t done_ = 0;
  bool cancelled_ = false;
};

}  // namespace

Expected<InterleavedRuns> run_interleaved(const InterleavedOptions& options) {
  return InterleavedRunner(options).run();
}

}  // namespace tidemark
