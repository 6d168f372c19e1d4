// The typed C++ face: windows over rows that are structs of the user's own.
//
//   tidemark::Job job;
//   job.source(orders)
//      .event_time(&Order::ts_ms, bounded_out_of_orderness(5s))
//      .key_by(&Order::user)
//      .window(sliding(1h, 1s))
//      .aggregate(count(), sum(&Order::amount))
//      .sink(print());
//   tidemark::Report report = job.run({.cores = 2});
//
// Functions given to it (lambdas, member pointers) are called from worker threads. Each source
// partition has copies of its own of those that read rows; a sink's are called on one thread. What
// they throw ends the run and comes out of run().
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/operators/evictor.h"
#include "tidemark/operators/firing.h"
#include "tidemark/operators/job_description.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/operators/row_stages.h"
#include "tidemark/operators/strategy.h"
#include "tidemark/operators/trigger.h"
#include "tidemark/operators/typed_aggregates.h"
#include "tidemark/operators/typed_cells.h"
#include "tidemark/operators/typed_partition.h"
#include "tidemark/operators/typed_result.h"
#include "tidemark/operators/typed_session.h"
#include "tidemark/operators/typed_source.h"
#include "tidemark/operators/watermark_policy.h"
#include "tidemark/operators/window_spec.h"

namespace tidemark {

using RunOptions = PipelineOptions;
using Report = RunReport;

// A key with a name for its column: key(&Order::user).as("user").
template <typename Function>
struct Key {
  Key as(std::string column_name) && {
    name = std::move(column_name);
    return std::move(*this);
  }

  Function function;
  std::string name{};  // empty: `key`, `key_2`, ...
};

template <typename Function>
Key<Function> key(Function function) {
  return {std::move(function)};
}

template <typename Function>
Key<Function> as_key(Key<Function> named) {
  return named;
}
template <typename Function>
Key<Function> as_key(Function function) {
  return {std::move(function)};
}

// An object such as print() that makes sinks for a job's results.
template <typename Maker>
concept ResultSinkMaker = requires(const Maker& maker, const ResultShape& shape) {
  { maker.make_sink(shape) } -> std::convertible_to<std::unique_ptr<ResultSink>>;
};

// A job whose aggregates are set: what is left is where results go. Refers to its job.
template <typename Keys, typename Values>
class ResultStream {
 public:
  explicit ResultStream(JobDescription& job) : job_(&job) {}

  // `sink` is print(), or a function that takes Result<Keys, Values> (best written as
  // `[](const auto& result)`), or an lvalue ResultSink, which must outlive the run. All calls come
  // from one thread. Results of one window come in no particular order, before those of a later
  // window end of the same key. Several sinks get all results each.
  template <typename Sink>
  ResultStream& sink(Sink&& sink) {
    using Plain = std::remove_cvref_t<Sink>;
    if constexpr (std::derived_from<Plain, ResultSink>) {
      static_assert(std::is_lvalue_reference_v<Sink>, "a ResultSink must outlive the run");
      job_->sinks.push_back([target = &sink](const ResultShape&) {
        return std::make_unique<SinkFanOut>(std::vector<ResultSink*>{target});
      });
    } else if constexpr (ResultSinkMaker<Plain>) {
      job_->sinks.push_back([maker = Plain(std::forward<Sink>(sink))](const ResultShape& shape) {
        return maker.make_sink(shape);
      });
    } else {
      static_assert(std::invocable<Plain&, const Result<Keys, Values>&>,
                    "a sink is print(), a ResultSink, or a function that takes a result: "
                    "[](const auto& result)");
      auto callback = std::make_shared<Plain>(std::forward<Sink>(sink));
      job_->sinks.push_back([callback](const ResultShape&) {
        return std::make_unique<CallbackSink<Keys, Values, Plain>>(callback);
      });
    }
    return *this;
  }

  // `callback` is called with LateRow<Keys> for each row that no window accepted; on the thread
  // that calls the sinks.
  template <typename Callback>
  ResultStream& late_rows(Callback&& callback) {
    using Plain = std::remove_cvref_t<Callback>;
    static_assert(std::invocable<Plain&, const LateRow<Keys>&>,
                  "late_rows takes a function of a late row: [](const auto& late)");
    auto shared = std::make_shared<Plain>(std::forward<Callback>(callback));
    job_->late_sinks.push_back([shared](const ResultShape&) {
      return std::make_unique<CallbackLateSink<Keys, Plain>>(shared);
    });
    return *this;
  }

 private:
  JobDescription* job_;
};

// Rows with an event time, and keys once key_by() has named them. Without keys each window has one
// result.
template <typename Source, typename Stages, typename Time, typename Keys = std::tuple<>,
          typename Extras = std::tuple<>>
class WindowStream;

template <typename Source, typename Stages, typename Time, typename... Keys, typename... Extras>
class WindowStream<Source, Stages, Time, std::tuple<Keys...>, std::tuple<Extras...>> {
 public:
  using Row = typename Stages::template Output<typename Source::Reader::Row>;

  WindowStream(JobDescription& job, std::vector<Source> sources, Stages stages, Time time,
               std::tuple<Keys...> keys, std::tuple<Extras...> extras)
      : job_(&job),
        sources_(std::move(sources)),
        stages_(std::move(stages)),
        time_(std::move(time)),
        keys_(std::move(keys)),
        extras_(std::move(extras)) {}

  // Pointers to members of the row, or functions that take a row (const Row&), or
  // key(...).as(name). Keys are integers, bool, enums, text, or std::optional of them; std::nullopt
  // is a key of its own, NULL.
  template <typename... Functions>
  auto key_by(Functions... functions) && {
    static_assert(sizeof...(Keys) == 0, "key_by is called once, with all keys");
    static_assert(sizeof...(Functions) > 0, "key_by needs at least one key");
    return std::move(*this).with_keys(as_key(std::move(functions))...);
  }

  // May be called again: every window sees all rows. See window_spec.h for the kinds.
  WindowStream window(const WindowSpec& window) && {
    job_->query.windows.push_back(window);
    return std::move(*this);
  }
  template <typename Function>
  auto window(GapSession<Function> session) && {
    WindowSpec spec;
    spec.kind = WindowKind::kSession;
    spec.gap_column = "gap";
    const std::size_t index = job_->query.windows.size();
    job_->query.windows.push_back(spec);
    using Gap = RowGap<Function>;
    Gap gap{std::move(session.gap)};
    auto time = with_gap(std::move(time_), gap);
    return std::move(*this).with_input(
        std::move(time), std::move(gap),
        [index](WindowQuery& query, int column) { query.windows[index].gap_input = column; });
  }

  // How long fired windows are kept, to fire again on rows that are late for them.
  WindowStream allowed_lateness(std::chrono::milliseconds lateness) && {
    job_->query.lateness = lateness.count();
    return std::move(*this);
  }

  // Early firings of open windows, every `interval` of event time or every `rows` rows; what later
  // firings of a window say is a matter of accumulation().
  WindowStream early_every(std::chrono::milliseconds interval) && {
    job_->query.early = {EarlyFiring::Kind::kEventTime, interval.count()};
    return std::move(*this);
  }
  WindowStream early_every_processing_time(std::chrono::milliseconds interval) && {
    job_->query.early = {EarlyFiring::Kind::kProcessingTime, interval.count()};
    return std::move(*this);
  }
  WindowStream early_every_rows(std::int64_t rows) && {
    job_->query.early = {EarlyFiring::Kind::kRows, rows};
    return std::move(*this);
  }

  WindowStream accumulation(Accumulation mode) && {
    job_->query.accumulation = mode;
    return std::move(*this);
  }
  // Also firings that say the same as the one before.
  WindowStream repeat_unchanged() && {
    job_->query.repeat_unchanged = true;
    return std::move(*this);
  }

  // When windows fire, instead of at their end, early and late; see trigger.h.
  WindowStream trigger(TriggerPtr trigger) && {
    job_->query.trigger = std::move(trigger);
    return std::move(*this);
  }
  // A trigger that looks at `input` (a pointer to a member or a function of a row, of numbers):
  // `make` is given the number of its column, as in
  // `[](std::size_t input) { return delta(input, 5); }`.
  template <typename Function, typename Make>
  auto trigger_on(Function input, Make make) && {
    return std::move(*this).with_input(std::move(time_), std::move(input),
                                       [make](WindowQuery& query, int column) {
                                         query.trigger = make(static_cast<std::size_t>(column));
                                       });
  }

  // Which rows leave a window when it fires; see evictor.h.
  WindowStream evictor(EvictorPtr evictor) && {
    job_->query.evictor = std::move(evictor);
    return std::move(*this);
  }
  // The same for one that looks at an input.
  template <typename Function, typename Make>
  auto evictor_on(Function input, Make make) && {
    return std::move(*this).with_input(std::move(time_), std::move(input),
                                       [make](WindowQuery& query, int column) {
                                         query.evictor = make(static_cast<std::size_t>(column));
                                       });
  }

  // Drops the state of a key's window that has had no row for `ttl` of event time.
  WindowStream state_ttl(std::chrono::milliseconds ttl) && {
    job_->query.state_ttl = ttl.count();
    return std::move(*this);
  }

  // Windows follow the wall clock of an IANA zone, such as Asia/Shanghai, instead of UTC.
  WindowStream zone(std::string name) && {
    job_->query.zone = std::move(name);
    return std::move(*this);
  }

  // How overlapping windows share work; without it the planner chooses. Results are the same.
  WindowStream strategy(Strategy strategy) && {
    job_->query.strategy = strategy;
    return std::move(*this);
  }

  // count(), sum(...) and the others of typed_aggregates.h, in the order in which results have
  // them.
  template <typename... Aggregates>
  auto aggregate(Aggregates... aggregates) && {
    static_assert(sizeof...(Aggregates) > 0, "aggregate needs at least one aggregate: count()");
    std::tuple<Aggregates..., Extras...> all =
        std::tuple_cat(std::tuple<Aggregates...>(std::move(aggregates)...), std::move(extras_));
    const auto inputs = plan_inputs<Row>(all);
    for (const ColumnType type : inputs.types) job_->query.values.push_back({"value", type});
    describe(all, inputs, std::index_sequence_for<Aggregates...>{});
    for (std::size_t i = 0; i < sizeof...(Extras); ++i) {
      job_->extra_inputs[i](job_->query, inputs.column[sizeof...(Aggregates) + i]);
    }
    job_->tell_panes();
    using Columns =
        RowColumns<Row, Time, std::tuple<Keys...>, std::tuple<Aggregates..., Extras...>>;
    job_->partitions = std::make_unique<TypedPartitionFactory<Source, Stages, Columns>>(
        std::move(sources_), std::move(stages_),
        Columns(std::move(time_), std::move(keys_), std::move(all)));
    return ResultStream<std::tuple<ResultKey<Extracted<Keys, Row>>...>,
                        std::tuple<typename AggregateTraits<Row, Aggregates>::Result...>>(*job_);
  }

 private:
  template <typename... Functions>
  auto with_keys(Key<Functions>... keys) && {
    (describe_key(keys), ...);
    return WindowStream<Source, Stages, Time, std::tuple<Functions...>, std::tuple<Extras...>>(
        *job_, std::move(sources_), std::move(stages_), std::move(time_),
        std::tuple<Functions...>(std::move(keys.function)...), std::move(extras_));
  }

  // Adds a column to what is read of a row; `use` is told its number when all are known.
  template <typename NewTime, typename Function, typename Use>
  auto with_input(NewTime time, Function input, Use use) && {
    job_->extra_inputs.push_back(std::move(use));
    using NewExtras = std::tuple<Extras..., ExtraInput<Function>>;
    return WindowStream<Source, Stages, NewTime, std::tuple<Keys...>, NewExtras>(
        *job_, std::move(sources_), std::move(stages_), std::move(time), std::move(keys_),
        std::tuple_cat(std::move(extras_),
                       std::tuple<ExtraInput<Function>>(ExtraInput<Function>{std::move(input)})));
  }

  template <typename Function>
  void describe_key(const Key<Function>& key) {
    static_assert(
        std::invocable<const Function&, const Row&>,
        "a key is a pointer to a member of the row, or a function that takes a row (const "
        "Row&)");
    using Value = Extracted<Function, Row>;
    static_assert(KeyValue<Value>,
                  "a key is an integer, bool, enum, std::string or std::string_view, or "
                  "std::optional of one of them");
    job_->add_key(key.name, key_column_type<Value>(), kIsUnsigned64<NonNull<Value>>);
  }

  // The first of `all`; extra inputs come behind them.
  template <typename All, std::size_t kInputs, std::size_t... kIndex>
  void describe(const All& all, const InputColumns<kInputs>& inputs,
                std::index_sequence<kIndex...>) {
    (job_->add_aggregate(spec_of(std::get<kIndex>(all), inputs.column[kIndex])), ...);
  }

  JobDescription* job_;
  std::vector<Source> sources_;
  Stages stages_;
  Time time_;
  std::tuple<Keys...> keys_;
  std::tuple<Extras...> extras_;
};

// Rows as the source or the last stage made them. Functions of stages are copied, one for each
// partition.
template <typename Source, typename Stages>
class RowStream {
 public:
  using Row = typename Stages::template Output<typename Source::Reader::Row>;
  static_assert(std::is_object_v<Row> && !std::same_as<Row, bool>,
                "rows are values: structs, tuples, numbers other than bool");

  RowStream(JobDescription& job, std::vector<Source> sources, Stages stages)
      : job_(&job), sources_(std::move(sources)), stages_(std::move(stages)) {}

  // One row from each row.
  template <typename Function>
  auto map(Function function) && {
    check_stage<Function>();
    return std::move(*this).with_stages(
        MapRows<Stages, Function>{std::move(stages_), std::move(function)});
  }

  // Keeps the rows for which `function` is true.
  template <typename Function>
  auto filter(Function function) && {
    static_assert(std::predicate<Function&, const Row&>,
                  "filter takes a function of a row (const Row&) that returns bool");
    return std::move(*this).with_stages(
        FilterRows<Stages, Function>{std::move(stages_), std::move(function)});
  }

  // Any number of rows from each row: `function` returns a range of them.
  template <typename Function>
  auto flat_map(Function function) && {
    check_stage<Function>();
    static_assert(std::ranges::input_range<std::invoke_result_t<Function&, const Row&>>,
                  "flat_map takes a function that returns a range of rows");
    return std::move(*this).with_stages(
        FlatMapRows<Stages, Function>{std::move(stages_), std::move(function)});
  }

  // `function` is a pointer to a member or a function that takes a row. Its values are milliseconds
  // since the epoch (UTC) in a 64-bit integer, or std::chrono::sys_time, or std::optional of them.
  // Rows without a valid event time are counted in Report::rows_bad and go no further.
  template <typename Function>
  auto event_time(Function function, WatermarkPolicy policy) && {
    check_event_time<Function>();
    job_->query.watermarks = policy.kind;
    job_->query.delay = policy.delay.count();
    policy.limits.apply_to(job_->query);
    return std::move(*this).with_time(std::move(function));
  }

  // The same for a source whose rows bring watermarks: see punctuated().
  template <typename Function, typename Watermark>
  auto event_time(Function function, PunctuatedPolicy<Watermark> policy) && {
    check_event_time<Function>();
    static_assert(std::invocable<const Watermark&, const Row&>,
                  "punctuated takes a pointer to a member of the row, or a function that takes a "
                  "row (const Row&)");
    static_assert(EventTimeValue<Extracted<Watermark, Row>>,
                  "a watermark is an event time or std::optional of one: milliseconds since the "
                  "epoch in a 64-bit integer, or a std::chrono::sys_time");
    job_->query.watermarks = WatermarkKind::kPunctuated;
    policy.limits.apply_to(job_->query);
    return std::move(*this).with_time(
        PunctuatedTime<Function, Watermark>{std::move(function), std::move(policy.function)});
  }

  // Instead of event_time(): windows go by the clock when a row is read, and fire by it whether or
  // not rows come. No row is late. Results differ from run to run; RunOptions::wall_clock brings a
  // clock of your own.
  auto processing_time() && {
    job_->query.time_domain = TimeDomain::kProcessing;
    return std::move(*this).with_time(ClockTime{});
  }

 private:
  template <typename Function>
  static void check_event_time() {
    static_assert(
        std::invocable<const Function&, const Row&>,
        "an event time is a pointer to a member of the row, or a function that takes a row "
        "(const Row&)");
    static_assert(EventTimeValue<Extracted<Function, Row>>,
                  "an event time is milliseconds since the epoch in a 64-bit integer, or a "
                  "std::chrono::sys_time");
  }

  template <typename Time>
  auto with_time(Time time) && {
    return WindowStream<Source, Stages, Time>(*job_, std::move(sources_), std::move(stages_),
                                              std::move(time), {}, {});
  }

  template <typename Function>
  static void check_stage() {
    static_assert(std::invocable<Function&, const Row&>,
                  "map and flat_map take a function of a row (const Row&)");
  }

  template <typename NewStages>
  auto with_stages(NewStages stages) && {
    return RowStream<Source, NewStages>(*job_, std::move(sources_), std::move(stages));
  }

  JobDescription* job_;
  std::vector<Source> sources_;
  Stages stages_;
};

// One source, its windows and its sinks. Not thread-safe.
class Job {
 public:
  // `rows` is a range of rows, or a function that returns std::optional<Row> and std::nullopt at
  // the end. An lvalue range is referred to and must outlive the job; an rvalue is moved in. Read
  // on a worker thread, so a function must not wait for long.
  template <typename Rows>
  auto source(Rows&& rows) {
    static_assert(RowSource<Rows>,
                  "a source is a range of rows, or a function without arguments that returns "
                  "std::optional<Row>");
    auto source = make_partition_source(std::forward<Rows>(rows));
    std::vector<decltype(source)> sources;
    sources.push_back(std::move(source));
    return start(std::move(sources));
  }

  // The same with one partition for each element of `partitions`: each has rows in an order of its
  // own, and they are read side by side.
  template <typename Partitions>
  auto parallel_source(Partitions&& partitions) {
    static_assert(std::ranges::input_range<Partitions>,
                  "parallel_source takes a range of sources, such as a vector of vectors");
    static_assert(RowSource<std::ranges::range_reference_t<Partitions>>,
                  "each element given to parallel_source is a range of rows, or a function that "
                  "returns std::optional<Row>");
    return start(make_partition_sources(std::forward<Partitions>(partitions)));
  }

  // Runs the job on the calling thread's behalf until the source ends or is cancelled. Throws
  // std::invalid_argument with a sentence if the job is not complete or cannot run, and what
  // functions and sinks throw. Running it again reads ranges from their start; generators and
  // single-pass ranges go on where they stopped.
  Report run(const RunOptions& options = {});

  // The job in the names and types of the dynamic face.
  const WindowQuery& query() const { return description_->query; }

 private:
  template <typename Source>
  RowStream<Source, PassRows> start(std::vector<Source> sources) {
    claim_source();
    return {*description_, std::move(sources), PassRows{}};
  }
  void claim_source();

  // Where it stays if the job moves.
  std::unique_ptr<JobDescription> description_ = std::make_unique<JobDescription>();
};

}  // namespace tidemark
