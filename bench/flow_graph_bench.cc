// The headline job on oneTBB's flow graph, as a peer: the same rows in the same batches through the
// same window stage, with the graph's nodes, queues and scheduling between the stages instead of
// channels and pinned workers. Names tell the topology.
//
//   flow_graph_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                    --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "checksum_output.h"
#include "right_results.h"
#include "sliding_limit.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSize = 3'600'000;
constexpr std::int64_t kSlide = 1000;
// The window fills, and then slides on for a quarter of its size.
constexpr std::uint64_t kRows = 45'000'000;
constexpr std::size_t kCredit = 16;

WindowQuery headline_query() {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {sliding(std::chrono::milliseconds(kSize), std::chrono::milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  query.max_drift = 10 * kSlide;
  return query;
}

// A batch on its way, with the watermark that holds after it.
struct Parcel {
  std::size_t source;
  std::shared_ptr<Batch> rows;
  EventTime watermark;
};

// The rows of one source, cut where a window's edge comes, as the pipeline's source task does.
class ParcelSource {
 public:
  ParcelSource(const BenchStream& stream, std::size_t shard, std::size_t shards,
               const WindowQuery& query)
      : shard_(shard), partition_(stream, shard, shards), query_(query) {}

  // False at the end.
  bool next(Parcel& parcel) {
    auto rows = std::make_shared<Batch>(query_.row_schema());
    if (!left_) {
      left_ = std::make_shared<Batch>(query_.row_schema());
      if (partition_.poll(*left_) == PollStatus::kEnd) return false;
      from_ = 0;
    }
    const EventTime edge = (left_->times()[from_] / kSlide + 1) * kSlide;
    std::size_t to = from_ + 1;
    while (to < left_->size() && left_->times()[to] < edge) ++to;
    rows->append_range(*left_, from_, to);
    hash_keys(*rows, 1, 0, rows->size());
    parcel = {shard_, rows, rows->times()[rows->size() - 1] - 1};
    from_ = to;
    if (from_ == left_->size()) left_.reset();
    return true;
  }

 private:
  std::size_t shard_;
  BenchPartition partition_;
  const WindowQuery& query_;
  std::shared_ptr<Batch> left_;
  std::size_t from_ = 0;
};

// A window stage and the watermarks of its sources.
class Stage {
 public:
  Stage(const WindowQuery& query, std::size_t sources)
      : output_(query),
        operator_(query, plan_query(query), output_),
        watermarks_(sources, kNoWatermark) {}

  void take(const Parcel& parcel) {
    std::vector<std::uint16_t> late;
    if (!parcel.rows->empty()) operator_.add(*parcel.rows, late);
    watermarks_[parcel.source] = parcel.watermark;
    advance(*std::min_element(watermarks_.begin(), watermarks_.end()));
  }
  void finish() { advance(kEndOfTime); }
  std::uint64_t checksum() {
    operator_.emitter().flush();
    return output_.checksum();
  }

 private:
  void advance(EventTime watermark) {
    operator_.advance(watermark);
    while (!operator_.fire()) {
    }
  }

  ChecksumOutput output_;
  WindowOperator operator_;
  std::vector<EventTime> watermarks_;
};

std::vector<Parcel> deal_out(const Parcel& parcel, std::size_t stages, const WindowQuery& query) {
  if (stages == 1) return {parcel};
  std::vector<Parcel> parts;
  for (std::size_t i = 0; i < stages; ++i) {
    parts.push_back({parcel.source, std::make_shared<Batch>(query.row_schema()), parcel.watermark});
  }
  const Batch& rows = *parcel.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Batch& to = *parts[consumer_of(rows.hashes()[row], static_cast<std::uint32_t>(stages))].rows;
    const std::size_t at = to.size();
    to.times()[at] = rows.times()[row];
    to.hashes()[at] = rows.hashes()[row];
    to.column(0).int64s()[at] = rows.column(0).int64s()[row];
    to.column(1).int64s()[at] = rows.column(1).int64s()[row];
    to.set_size(at + 1);
  }
  return parts;
}

// Sources, a node that deals rows out, and one node per window stage. A limiter in front of each
// source's rows stands for the credit of a channel.
std::uint64_t run_graph(const BenchStream& stream, std::size_t cores, bool fire_all) {
  namespace flow = tbb::flow;
  const WindowQuery query = headline_query();
  std::vector<std::unique_ptr<Stage>> stages;
  for (std::size_t i = 0; i < cores; ++i) stages.push_back(std::make_unique<Stage>(query, cores));

  tbb::task_arena arena(static_cast<int>(cores));
  arena.execute([&] {
    flow::graph graph;
    using Input = flow::input_node<Parcel>;
    using Limiter = flow::limiter_node<Parcel>;
    using Window = flow::function_node<Parcel, flow::continue_msg>;
    std::vector<std::unique_ptr<ParcelSource>> sources;
    std::vector<std::unique_ptr<Input>> inputs;
    std::vector<std::unique_ptr<Limiter>> limiters;
    std::vector<std::unique_ptr<flow::function_node<Parcel, flow::continue_msg>>> dealers;
    std::vector<std::unique_ptr<Window>> windows;
    for (std::size_t i = 0; i < cores; ++i) {
      windows.push_back(
          std::make_unique<Window>(graph, flow::serial, [&stages, i](const Parcel& parcel) {
            stages[i]->take(parcel);
            return flow::continue_msg{};
          }));
    }
    for (std::size_t i = 0; i < cores; ++i) {
      sources.push_back(std::make_unique<ParcelSource>(stream, i, cores, query));
      inputs.push_back(std::make_unique<Input>(
          graph, [source = sources.back().get()](tbb::flow_control& control) {
            Parcel parcel{};
            if (!source->next(parcel)) control.stop();
            return parcel;
          }));
      // Every part is a message of its own, and each gives its credit back when its stage is done.
      limiters.push_back(std::make_unique<Limiter>(graph, kCredit));
      dealers.push_back(std::make_unique<flow::function_node<Parcel, flow::continue_msg>>(
          graph, flow::serial, [&windows, &query, cores](const Parcel& parcel) {
            const std::vector<Parcel> parts = deal_out(parcel, cores, query);
            for (std::size_t part = 0; part < parts.size(); ++part) {
              windows[part]->try_put(parts[part]);
            }
            return flow::continue_msg{};
          }));
      flow::make_edge(*inputs[i], *limiters[i]);
      flow::make_edge(*limiters[i], *dealers[i]);
      flow::make_edge(*dealers[i], limiters[i]->decrementer());
    }
    for (auto& input : inputs) input->activate();
    graph.wait_for_all();
  });
  std::uint64_t checksum = 0;
  for (const auto& stage : stages) {
    if (fire_all) stage->finish();
    checksum += stage->checksum();
  }
  return checksum;
}

BenchStreamConfig config_of(const benchmark::State& state, std::uint64_t rows) {
  BenchStreamConfig config;
  config.keys = static_cast<std::uint64_t>(state.range(0));
  config.rows = rows;
  return config;
}

void peer(benchmark::State& state, std::size_t cores) {
  const BenchStream checked(config_of(state, 500'000));
  if (!are_right(state, run_graph(checked, cores, true),
                 expected_checksum(config_of(state, 500'000), kSize, kSlide))) {
    return;
  }
  const BenchStream stream(config_of(state, kRows));
  for (auto _ : state) benchmark::DoNotOptimize(run_graph(stream, cores, false));
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

// Compare with the benchmarks of the same names in sliding_bench.
void flow_graph_one_source_one_window(benchmark::State& state) { peer(state, 1); }
void flow_graph_two_sources_two_windows(benchmark::State& state) { peer(state, 2); }

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(100'000)->Iterations(1)->UseRealTime()->Unit(
      benchmark::kMillisecond);
}

BENCHMARK(flow_graph_one_source_one_window)->Apply(sizes);
BENCHMARK(flow_graph_two_sources_two_windows)->Apply(sizes);

}  // namespace
}  // namespace tidemark::bench
