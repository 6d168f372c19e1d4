#include "cli/window_command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/cores_argument.h"
#include "cli/metrics_server.h"
#include "cli/out_of_memory.h"
#include "cli/progress_line.h"
#include "cli/shared_files.h"
#include "cli/signal_watch.h"
#include "cli/user_error.h"
#include "cli/window_arguments.h"
#include "tidemark/connectors/bad_output.h"
#include "tidemark/connectors/late_output.h"
#include "tidemark/connectors/ordered_results.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/run_summary.h"
#include "tidemark/connectors/text_results.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/progress_text.h"
#include "tidemark/runtime/cpu_allowance.h"
#include "tidemark/runtime/published_value.h"

namespace tidemark::cli {

namespace {

constexpr const char* kWindowExamples = R"(Examples:
  tidemark window 'gen:orders?rows=100k&keys=3' --key user_id --window 'tumbling size=5s' --agg 'count, sum(amount)'
  tidemark gen orders --rows 1000 | tidemark window - --time ts --key country --window 'sliding size=1m slide=10s'
  tidemark gen orders --rows 1000 | tidemark window - --time ts --window 'tumbling size=50ms' --agg 'count, avg(amount) as mean, count where amount >= 900 as large' --output-format json
)";

constexpr std::size_t kShownBadRows = 3;

std::unique_ptr<OutputFile> open_output(const std::string& path) {
  return path.empty() ? nullptr : value_or_throw(OutputFile::open(path));
}

// Bad rows on their way to a file and, the first few, to people.
class BadRows {
 public:
  void write_to(OutputFile& file) { output_.emplace(file); }

  void accept(const BadRow& row) {
    if (first_.size() < kShownBadRows) {
      first_.push_back(fmt::format("line {}: {}", row.line, row.reason));
    }
    if (output_) output_->accept(row);
  }

  void finish() {
    if (output_) output_->finish();
  }

  const std::vector<std::string>& first() const { return first_; }

 private:
  std::optional<BadOutput> output_;
  std::vector<std::string> first_;
};

// One run, from arguments to exit code.
class WindowRun {
 public:
  explicit WindowRun(const WindowArguments& arguments)
      : arguments_(arguments), signals_(cancellation_) {}

  int run() {
    prepare();
    if (cancellation_.requested()) return signals_.exit_code(kExitDone);
    open_outputs();
    try {
      const RunReport report = execute();
      close_outputs(report);
      return tell(report);
    } catch (const BrokenPipe&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw std::runtime_error(kOutOfMemory + what_is_left());
    } catch (const std::exception& error) {
      throw std::runtime_error(error.what() + what_is_left());
    }
  }

 private:
  // Everything that can be refused is refused here, before an output is touched.
  void prepare() {
    refuse_shared_files({arguments_.input}, {{"--output", arguments_.output},
                                             {"--late-output", arguments_.late_output},
                                             {"--bad-output", arguments_.bad_output},
                                             {"--summary", arguments_.summary}});
    query_ = query_of(arguments_);
    style_ = result_style_of(arguments_);
    const CpuAllowance allowance = cpu_allowance();
    set_cores(allowance);
    metrics_ = serve_metrics(arguments_.metrics, live_);
    WindowInputOptions options = input_options_of(arguments_, query_);
    options.bad_rows = [this](const BadRow& row) { bad_rows_.accept(row); };
    options.bytes_taken = &bytes_taken_;
    options.cores = cores_;
    options.cpus = allowance.cpus;
    options.cancellation = &cancellation_;
    open_input(options);
  }

  void open_input(const WindowInputOptions& options) {
    Expected<WindowInput> input = open_window_input(options);
    if (!input && cancellation_.requested()) return;
    input_ = value_or_throw(std::move(input));
    query_.keys = input_.keys;
    query_.values = input_.values;
    query_.carried = input_.carried;
    query_.aggregates = input_.aggregates;
    query_.windows = input_.windows;
    value_or_throw(validate(query_));
    if (input_.detected_unit) {
      note(fmt::format("times in {} are read as {} (--time-unit {})", arguments_.time_column,
                       long_name(*input_.detected_unit), to_string(*input_.detected_unit)));
    }
    if (input_.time_warning) note(*input_.time_warning);
  }

  void set_cores(const CpuAllowance& allowance) {
    CoresChoice choice = choose_cores(arguments_.cores, allowance);
    cores_ = choice.cores;
    cpus_ = std::move(choice.cpus);
    if (choice.note) note(*choice.note);
  }

  void open_outputs() {
    output_ = open_output(arguments_.output);
    late_file_ = open_output(arguments_.late_output);
    bad_file_ = open_output(arguments_.bad_output);
    summary_ = open_output(arguments_.summary);
    const ResultFormat usual = output_->is_terminal() ? ResultFormat::kTable : ResultFormat::kCsv;
    writer_ = TextResults::make_writer(style_->format.value_or(usual), query_, input_.texts,
                                       style_->times, *output_);
    if (!arguments_.unordered) ordered_ = std::make_unique<OrderedResults>(query_, *writer_);
    if (bad_file_ != nullptr) bad_rows_.write_to(*bad_file_);
    if (late_file_ == nullptr) return;
    const auto text = input_.text_is_json ? LateOutput::Text::kOther : LateOutput::Text::kCsv;
    late_ = input_.header ? LateOutput::of_text(query_, *input_.header, *late_file_, text)
                          : LateOutput::of_columns(query_, *late_file_);
  }

  RunReport execute() {
    PipelineOptions options;
    options.cores = cores_;
    options.cpus = cpus_;
    options.stream = stream_of(arguments_, input_);
    options.cancellation = &cancellation_;
    const bool progresses = shows_progress();
    if (progresses || metrics_) options.live = &live_;
    ResultSinks sinks;
    sinks.shared = ordered_ == nullptr ? writer_.get() : ordered_.get();
    std::optional<ProgressLine> progress;
    if (progresses) {
      progress.emplace(live_, [this](const auto&, const RowTotals& totals, auto elapsed) {
        return ProgressLine::Estimate{"", time_left(share_done(totals), elapsed)};
      });
    }
    return run_pipeline(query_, input_.partitions, sinks, late_.get(), options);
  }

  // Of the input, from 0 to 1; 0 where its size is not known.
  double share_done(const RowTotals& totals) const {
    if (input_.rows) return static_cast<double>(totals.read) / static_cast<double>(*input_.rows);
    struct stat status {};
    const int found = arguments_.input == "-" ? ::fstat(STDIN_FILENO, &status)
                                              : ::stat(arguments_.input.c_str(), &status);
    if (found != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return 0;
    return static_cast<double>(bytes_taken_.get()) / static_cast<double>(status.st_size);
  }

  bool shows_progress() const {
    return cli::shows_progress(arguments_.progress, arguments_.no_progress,
                               !arguments_.quiet && !output_->is_terminal());
  }

  void close_outputs(const RunReport& report) {
    bad_rows_.finish();
    if (summary_ != nullptr) summary_->buffer().append(summary_json(report));
    for (OutputFile* file : {output_.get(), late_file_.get(), bad_file_.get(), summary_.get()}) {
      if (file != nullptr) file->close();
    }
  }

  // Ends the outputs of a run that failed.
  std::string what_is_left() const {
    std::string left;
    for (OutputFile* file : {output_.get(), late_file_.get(), bad_file_.get(), summary_.get()}) {
      if (file == nullptr) continue;
      const std::string name = file->give_up();
      if (!name.empty()) left += (left.empty() ? "" : ", ") + name;
    }
    return left.empty() ? left : "; what was written before is in " + left;
  }

  int tell(const RunReport& report) {
    if (report.rows_bad > 0) {
      for (const std::string& reason : bad_rows_.first()) note("bad row in " + reason);
      if (report.rows_bad > bad_rows_.first().size()) {
        note(fmt::format("{} bad rows in all", report.rows_bad));
      }
    }
    if (report.rows_late > 0 && report.rows_on_time == 0) {
      note("every row was late; a longer --delay, or another --time-unit, may be what is missing");
    }
    if (!arguments_.quiet) fmt::print(stderr, "{}", summary_text(report));
    if (report.overflows.count == 0) return signals_.exit_code(kExitDone);
    fmt::print(stderr, "{}", overflow_text(report.overflows));
    return kExitWrongResult;
  }

  void note(const std::string& text) const {
    if (!arguments_.quiet) fmt::print(stderr, "tidemark: {}\n", text);
  }

  const WindowArguments& arguments_;
  Cancellation cancellation_;
  SignalWatch signals_;
  WindowQuery query_;
  std::optional<ResultStyle> style_;
  std::size_t cores_ = 1;
  std::vector<int> cpus_;
  LiveRuns live_;
  std::unique_ptr<LiveMetrics> metrics_;  // null unless they are served
  PublishedValue<std::uint64_t> bytes_taken_;

  // In this order: writers go before the files that they write to.
  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<OutputFile> late_file_;
  std::unique_ptr<OutputFile> bad_file_;
  std::unique_ptr<OutputFile> summary_;
  BadRows bad_rows_;
  std::unique_ptr<ResultSink> writer_;
  std::unique_ptr<OrderedResults> ordered_;
  std::unique_ptr<LateOutput> late_;
  WindowInput input_;
};

}  // namespace

void add_window_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("window",
                         "run windowed aggregations over a file, standard input or a "
                         "generated stream");
  const auto arguments = std::make_shared<WindowArguments>();
  add_window_options(*command, *arguments);
  command->footer(kWindowExamples);
  command->callback([arguments, &exit_code] { exit_code = WindowRun(*arguments).run(); });
}

}  // namespace tidemark::cli
