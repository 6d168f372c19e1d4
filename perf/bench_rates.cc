#include "tidemark/perf/bench_rates.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "tidemark/perf/figure_text.h"

namespace tidemark {

namespace {
constexpr double kMostBacklogGrowth = 0.01;  // of the offered rate
}  // namespace

RateVerdict judge_rate(const LatencyRun& run, std::chrono::nanoseconds latency_bound) {
  const auto offered = static_cast<double>(run.offered_rate);
  const double growth = run.lag.backlog_growth(run.offered_rate);
  const bool overloaded = run.cut_off_after || growth > kMostBacklogGrowth * offered;
  const RateOutcome failed = overloaded ? RateOutcome::kOverloaded : RateOutcome::kLate;
  if (!run.rate_reached()) {
    return {failed,
            fmt::format("only {:.1f} % of the rate was sent", 100 * run.achieved_rate / offered)};
  }
  if (overloaded) {
    return {failed,
            fmt::format("the backlog grew by {:.1f} % of the rate", 100 * growth / offered)};
  }
  const auto p99 = run.latencies.event_time_to_result.percentile(99);
  if (!p99) return {failed, "no window was completed"};
  if (*p99 > latency_bound.count()) {
    return {failed, fmt::format("p99 is above {}",
                                nanoseconds_text(static_cast<double>(latency_bound.count())))};
  }
  return {};
}

RateSearchResult find_rate(const BenchOptions& options, const RateSearchLimits& limits) {
  RateSearchResult result;
  result.limits = limits;
  RateSearch search(limits);
  while (const auto rate = search.next()) {
    RateStep step;
    step.run = run_latency(options, *rate);
    if (options.cancellation != nullptr && options.cancellation->requested()) break;
    step.backlog_growth = step.run.lag.backlog_growth(*rate);
    const RateVerdict verdict = judge_rate(step.run, options.latency_bound);
    step.sustained = verdict.outcome == RateOutcome::kSustained;
    step.overloaded = verdict.outcome == RateOutcome::kOverloaded;
    step.reason = verdict.reason;
    const auto p99 = step.run.latencies.event_time_to_result.percentile(99);
    search.answer(*rate,
                  {verdict.outcome, p99 ? std::optional(static_cast<double>(*p99)) : std::nullopt});
    result.steps.push_back(std::move(step));
  }
  result.highest_sustained = search.highest_sustained();
  result.at_limit = search.at_limit();
  return result;
}

}  // namespace tidemark
