#include "tidemark/perf/comparison.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "tidemark/perf/rank_test.h"

namespace tidemark {

namespace {

// Ratios of decimal fractions miss a threshold by their last bit.
constexpr double kLastBit = 1e-12;

// How the reason of a figure begins that cannot be judged and is no failure.
constexpr const char* kReportedOnly = "reported only";

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

double mean_of(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

SampleSummary summary_of(const Figure& figure) {
  if (figure.summary) return *figure.summary;
  SampleSummary summary{
      mean_of(figure.samples), median_of(figure.samples), {}, figure.samples.size()};
  if (summary.count < 2) return summary;
  double squares = 0;
  for (const double sample : figure.samples) {
    squares += (sample - summary.mean) * (sample - summary.mean);
  }
  summary.deviation = std::sqrt(squares / static_cast<double>(summary.count - 1));
  return summary;
}

bool is_constant(const Figure& figure) {
  return !figure.samples.empty() &&
         std::all_of(figure.samples.begin(), figure.samples.end(),
                     [&](double sample) { return sample == figure.samples.front(); });
}

FigureSide side_of(const Figure& figure) {
  const SampleSummary summary = figure.text.empty() ? summary_of(figure) : SampleSummary{};
  return {summary.median, summary.count, figure.samples, figure.text};
}

// What a test would say about one timing, before the correction for many.
struct TimingTest {
  std::size_t index = 0;  // in the comparison's figures
  double p_value = 1;
  double attainable = 0;  // the smallest p-value that this many samples can have
};

class Comparer {
 public:
  Comparer(const Measurement& base, const Measurement& next, const CompareOptions& options)
      : base_(base), next_(next) {
    result_.base_source = base.source;
    result_.next_source = next.source;
    result_.base_machine = base.machine_json;
    result_.base_build = base.build_json;
    result_.next_machine = next.machine_json;
    result_.next_build = next.build_json;
    result_.options = options;
  }

  Comparison run() {
    result_.wrong = next_.wrong.empty() ? base_.wrong : next_.wrong;
    if (!sides_are_alike()) return std::move(result_);
    pair_figures();
    if (result_.figures.empty() && result_.not_comparable.empty()) {
      result_.not_comparable =
          fmt::format("{} and {} have no figure to compare", base_.source, next_.source);
    }
    if (options().allow_missing && !has_pair()) {
      not_comparable(fmt::format("{} and {} have no figure in common: nothing was compared",
                                 base_.source, next_.source));
    }
    decide_timings();
    if (has_pair() && !has_judged_pair()) {
      result_.notes.push_back("no figure was judged: all that both sides have are reported only");
    }
    return std::move(result_);
  }

 private:
  const CompareOptions& options() const { return result_.options; }

  bool has_pair() const {
    return std::any_of(result_.figures.begin(), result_.figures.end(),
                       [](const FigureComparison& figure) { return figure.base && figure.next; });
  }

  bool has_judged_pair() const {
    return std::any_of(
        result_.figures.begin(), result_.figures.end(), [](const FigureComparison& figure) {
          return figure.base && figure.next && !figure.reason.starts_with(kReportedOnly);
        });
  }

  void not_comparable(std::string why) {
    if (result_.not_comparable.empty()) result_.not_comparable = std::move(why);
  }

  bool sides_are_alike() {
    if (base_.schema != next_.schema) {
      not_comparable(fmt::format("{} is {} and {} is {}: they hold different figures", base_.source,
                                 base_.schema, next_.source, next_.schema));
      return false;
    }
    const auto differences = surrounding_differences(base_, next_);
    if (differences.empty()) return true;
    const std::string list = differences_text(differences);
    if (!options().allow_different) {
      not_comparable(
          fmt::format("{} and {} differ in {}: measure both alike, or compare them all the "
                      "same with --allow-different",
                      base_.source, next_.source, list));
      return false;
    }
    result_.notes.push_back("compared although they differ in " + list);
    for (const SurroundingDifference& difference : differences) {
      differing_.push_back(difference.name);
    }
    return true;
  }

  // Why a benchmark has no figures on a side; empty if it did not fail there.
  static std::string failure_of(const Measurement& side, const std::string& figure) {
    for (const FailedBenchmark& failed : side.failed) {
      if (figure == failed.name || figure.starts_with(failed.name + " ")) return failed.reason;
    }
    return {};
  }

  bool is_left_out(const std::string& name) const {
    return (!options().only.empty() && !matches_any(name, options().only)) ||
           matches_any(name, options().ignore);
  }

  void pair_figures() {
    for (const Figure& base : base_.figures) {
      if (is_left_out(base.name) || !failure_of(base_, base.name).empty()) continue;
      const Figure* next = find_figure(next_, base.name);
      const std::string failure = failure_of(next_, base.name);
      if (next == nullptr || !failure.empty()) {
        add_missing(base, failure);
      } else {
        add_pair(base, *next);
      }
    }
    for (const Figure& next : next_.figures) {
      if (is_left_out(next.name) || !failure_of(next_, next.name).empty()) continue;
      const std::string failure = failure_of(base_, next.name);
      if (find_figure(base_, next.name) == nullptr || !failure.empty()) add_added(next, failure);
    }
    add_failures_without_figures();
  }

  FigureComparison start(const Figure& figure) const {
    FigureComparison comparison;
    comparison.name = figure.name;
    comparison.unit = figure.unit;
    comparison.better = figure.better;
    if (matches_any(figure.name, options().lower)) comparison.better = Better::kLower;
    if (matches_any(figure.name, options().higher)) comparison.better = Better::kHigher;
    comparison.kind = figure.kind;
    return comparison;
  }

  void add_missing(const Figure& base, const std::string& failure) {
    FigureComparison comparison = start(base);
    comparison.base = side_of(base);
    comparison.verdict = Verdict::kMissing;
    comparison.reason =
        failure.empty() ? "not in the new run" : "failed in the new run: " + failure;
    result_.figures.push_back(std::move(comparison));
  }

  void add_added(const Figure& next, const std::string& failure) {
    FigureComparison comparison = start(next);
    comparison.next = side_of(next);
    comparison.verdict = failure.empty() ? Verdict::kAdded : Verdict::kInvalid;
    comparison.reason =
        failure.empty() ? "not in the base run" : "failed in the base run: " + failure;
    if (!failure.empty()) {
      not_comparable(
          fmt::format("{:?} failed in {} ({}), so there is nothing to hold {} against: measure the "
                      "base anew, or leave it out with --ignore",
                      next.name, base_.source, failure, next_.source));
    }
    result_.figures.push_back(std::move(comparison));
  }

  // Benchmarks that failed and have no figures on either side.
  void add_failures_without_figures() {
    std::set<std::string> told;
    for (const FailedBenchmark& failed : next_.failed) {
      const bool was_well =
          failure_of(base_, failed.name).empty() && find_figure(base_, failed.name) != nullptr;
      if (was_well || is_left_out(failed.name) || !told.insert(failed.name).second) continue;
      add_failure(failed, Verdict::kInvalid, "failed: ");
      not_comparable(
          fmt::format("{:?} failed in {} ({}) and has no figures in {}: nothing is known "
                      "of it",
                      failed.name, next_.source, failed.reason, base_.source));
    }
    for (const FailedBenchmark& failed : base_.failed) {
      const bool is_there = find_figure(next_, failed.name) != nullptr;
      if (is_there || is_left_out(failed.name) || !told.insert(failed.name).second) continue;
      add_failure(failed, Verdict::kMissing, "not in the new run, and failed in the base run: ");
    }
  }

  void add_failure(const FailedBenchmark& failed, Verdict verdict, const char* what) {
    FigureComparison comparison;
    comparison.name = failed.name;
    comparison.verdict = verdict;
    comparison.reason = what + failed.reason;
    result_.figures.push_back(std::move(comparison));
  }

  void add_pair(const Figure& base, const Figure& next) {
    FigureComparison comparison = start(base);
    comparison.base = side_of(base);
    comparison.next = side_of(next);
    if (base.unit != next.unit) {
      comparison.verdict = Verdict::kInvalid;
      comparison.reason = fmt::format("in {} and in {}", base.unit, next.unit);
      not_comparable(fmt::format("{:?} is in {} and in {}", base.name, base.unit, next.unit));
    } else if (!base.text.empty() || !next.text.empty()) {
      compare_texts(comparison);
    } else {
      set_change(comparison);
      compare_numbers(base, next, comparison);
    }
    result_.figures.push_back(std::move(comparison));
  }

  // Whether a figure was measured with other options on each side, those of its job among them.
  bool options_differ_for(const std::string& figure) const {
    return std::any_of(differing_.begin(), differing_.end(), [&](const std::string& name) {
      if (name.starts_with("options.")) return true;
      return std::any_of(next_.jobs.begin(), next_.jobs.end(), [&](const std::string& job) {
        return figure.starts_with(job + " ") && name.starts_with(job_surrounding(job, ""));
      });
    });
  }

  void compare_texts(FigureComparison& comparison) {
    if (comparison.base->text == comparison.next->text) return;
    if (options_differ_for(comparison.name)) {
      comparison.reason = "not compared: with other options results may be others";
      return;
    }
    comparison.verdict = Verdict::kRegressed;
    comparison.reason = fmt::format("was {}, is {}", comparison.base->text, comparison.next->text);
    if (comparison.name.find("checksum") != std::string::npos) {
      result_.wrong =
          fmt::format("{} of {} is {}, and of {} it is {}: results differ", comparison.name,
                      base_.source, comparison.base->text, next_.source, comparison.next->text);
    }
  }

  static void set_change(FigureComparison& comparison) {
    const double base = comparison.base->median, next = comparison.next->median;
    if (base != 0) comparison.change = next / base - 1;
    if (base == next) comparison.change = 0;
  }

  static Verdict verdict_of(Better better, double base, double next) {
    if (base == next) return Verdict::kSame;
    if (better == Better::kEqual) return Verdict::kRegressed;
    return (next < base) == (better == Better::kLower) ? Verdict::kImproved : Verdict::kRegressed;
  }

  void compare_numbers(const Figure& base, const Figure& next, FigureComparison& comparison) {
    if (comparison.kind == FigureKind::kInstructions) {
      compare_instructions(comparison);
    } else if (comparison.kind != FigureKind::kTiming && is_counter(base, next)) {
      comparison.kind = FigureKind::kCounter;
      comparison.verdict =
          verdict_of(comparison.better, comparison.base->median, comparison.next->median);
    } else {
      prepare_timing(base, next, comparison);
    }
  }

  // What stays the same within both sides is deterministic; a user counter must show it.
  static bool is_counter(const Figure& base, const Figure& next) {
    const std::size_t enough = base.kind == FigureKind::kCounter ? 1 : 2;
    return base.samples.size() >= enough && next.samples.size() >= enough && is_constant(base) &&
           is_constant(next);
  }

  void compare_instructions(FigureComparison& comparison) {
    const bool within = comparison.change &&
                        std::abs(*comparison.change) <= options().instruction_tolerance + kLastBit;
    if (within) return;
    comparison.verdict =
        verdict_of(Better::kLower, comparison.base->median, comparison.next->median);
  }

  // Whether the timing can be decided; if not, says why.
  bool is_gated(const Figure& base, const Figure& next, FigureComparison& comparison) {
    const bool direction_given =
        matches_any(base.name, options().lower) || matches_any(base.name, options().higher);
    const std::size_t fewest = std::min(comparison.base->count, comparison.next->count);
    if (options().counters_only) {
      comparison.reason = fmt::format("{}: --gate counters", kReportedOnly);
    } else if (comparison.better == Better::kEqual ||
               (base.direction_unknown && !direction_given)) {
      comparison.reason = fmt::format(
          "{}: it varies, and --lower or --higher has to say which way is better", kReportedOnly);
    } else if (base.needs_runs && std::min(base_.runs, next_.runs) < options().min_runs) {
      comparison.reason = fmt::format(
          "{}: a single run cannot tell, give a folder of runs or --run", kReportedOnly);
    } else if (fewest < options().min_runs) {
      too_few(base, comparison);
    } else if ((base.summary || next.summary) &&
               (!summary_of(base).deviation || !summary_of(next).deviation)) {
      comparison.verdict = Verdict::kInvalid;
      comparison.reason = "no standard deviation among the aggregates";
      not_comparable(
          fmt::format("{:?} has no standard deviation among its aggregates, so nobody can "
                      "tell a change from noise: write repetitions",
                      base.name));
    } else {
      return true;
    }
    return false;
  }

  void too_few(const Figure& base, FigureComparison& comparison) {
    comparison.verdict = Verdict::kInvalid;
    comparison.reason =
        fmt::format("too few samples: {} and {}", comparison.base->count, comparison.next->count);
    const std::string more =
        options().paired
            ? fmt::format("--runs {}", options().min_runs)
            : fmt::format("--repeat {0} or --benchmark_repetitions={0}", options().min_runs);
    not_comparable(fmt::format(
        "{:?} has {} sample{} in {} and {} in {}, too few to tell a change from noise (--min-runs "
        "is {}): measure with {}",
        base.name, comparison.base->count, comparison.base->count == 1 ? "" : "s", base_.source,
        comparison.next->count, next_.source, options().min_runs, more));
  }

  void prepare_timing(const Figure& base, const Figure& next, FigureComparison& comparison) {
    comparison.kind = FigureKind::kTiming;
    if (!is_gated(base, next, comparison)) return;
    gated_.push_back({result_.figures.size(), &base, &next});
  }

  struct GatedTiming {
    std::size_t index;
    const Figure* base;
    const Figure* next;
  };

  void decide_timings() {
    std::vector<TimingTest> tests;
    tests.reserve(gated_.size());
    for (const GatedTiming& timing : gated_) tests.push_back(test(timing));
    std::vector<double> p_values;
    p_values.reserve(tests.size());
    for (const TimingTest& timing : tests) p_values.push_back(timing.p_value);
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < tests.size(); ++i) decide(tests[i], adjusted[i], tests.size());
    note_different_times();
  }

  // No test can tell a slower program from a slower machine.
  void note_different_times() {
    const bool alarmed = std::any_of(gated_.begin(), gated_.end(), [&](const GatedTiming& timing) {
      return result_.figures[timing.index].verdict == Verdict::kRegressed;
    });
    if (options().paired || !alarmed) return;
    result_.notes.push_back(
        "timings of both sides were not measured at the same time: if the machine has become "
        "slower "
        "since, so have they; --run measures both in turn");
  }

  TimingTest test(const GatedTiming& timing) {
    const Figure& base = *timing.base;
    const Figure& next = *timing.next;
    if (base.summary || next.summary) {
      const SampleSummary a = summary_of(base), b = summary_of(next);
      return {timing.index, welch_p(a.mean, *a.deviation, a.count, b.mean, *b.deviation, b.count),
              0};
    }
    if (const std::vector<double> ratios = log_ratios(base, next); !ratios.empty()) {
      result_.figures[timing.index].change = std::expm1(hodges_lehmann(ratios));
      return {timing.index, signed_rank_p(ratios), smallest_signed_rank_p(ratios.size())};
    }
    return {timing.index, mann_whitney_p(base.samples, next.samples),
            smallest_mann_whitney_p(base.samples.size(), next.samples.size())};
  }

  // Of the pairs, where there are pairs and enough of them; nothing otherwise.
  std::vector<double> log_ratios(const Figure& base, const Figure& next) const {
    if (!options().paired || base.samples.size() != next.samples.size()) return {};
    const auto family = static_cast<double>(gated_.size());
    if (smallest_signed_rank_p(base.samples.size()) * family >= options().alpha) return {};
    std::vector<double> ratios;
    for (std::size_t i = 0; i < base.samples.size(); ++i) {
      if (base.samples[i] <= 0 || next.samples[i] <= 0) return {};
      ratios.push_back(std::log(next.samples[i] / base.samples[i]));
    }
    return ratios;
  }

  void decide(const TimingTest& timing, double adjusted, std::size_t family) {
    FigureComparison& comparison = result_.figures[timing.index];
    const bool test_decides = options().alpha < 1 && timing.attainable < options().alpha;
    if (test_decides && timing.attainable * static_cast<double>(family) > options().alpha) {
      comparison.verdict = Verdict::kInvalid;
      comparison.reason = "too few samples for that many figures";
      not_comparable(fmt::format(
          "{} samples a side cannot tell a change from noise for {} figures at once: measure more "
          "runs, or choose figures with --only",
          comparison.base->count, family));
      return;
    }
    comparison.p_value = adjusted;
    if (!test_decides && options().alpha < 1) {
      comparison.reason =
          fmt::format("{} samples a side cannot reach p < {}: the threshold decided",
                      comparison.base->count, options().alpha);
      comparison.p_value.reset();
    }
    const bool significant = !test_decides || adjusted < options().alpha;
    if (!significant || !is_large(comparison)) return;
    comparison.verdict =
        verdict_of(comparison.better, 0, comparison.change.value_or(comparison.next->median));
  }

  bool is_large(const FigureComparison& comparison) const {
    // From 0 any change is without bound.
    if (!comparison.change) return true;
    return std::abs(*comparison.change) >= options().threshold - kLastBit &&
           *comparison.change != 0;
  }

  const Measurement& base_;
  const Measurement& next_;
  Comparison result_;
  std::vector<GatedTiming> gated_;
  std::vector<std::string> differing_;  // surroundings that differ and were allowed to
};

}  // namespace

Comparison compare(const Measurement& base, const Measurement& next,
                   const CompareOptions& options) {
  return Comparer(base, next, options).run();
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(figures.begin(), figures.end(),
                    [&](const FigureComparison& figure) { return figure.verdict == verdict; }));
}

OverallVerdict Comparison::verdict() const {
  const std::size_t missing = options.allow_missing ? 0 : count(Verdict::kMissing);
  if (count(Verdict::kRegressed) + missing > 0) return OverallVerdict::kRegressed;
  if (!not_comparable.empty()) return OverallVerdict::kNotComparable;
  return count(Verdict::kImproved) > 0 ? OverallVerdict::kImproved : OverallVerdict::kSame;
}

}  // namespace tidemark
