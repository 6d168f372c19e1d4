// Newline-delimited JSON into batches, from memory: three members used out of five, beside the
// shortest loop for the same text.
//
//   json_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//              --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "order_texts.h"
#include "right_results.h"
#include "tidemark/connectors/json_chunk.h"
#include "tidemark/connectors/json_plan.h"

namespace tidemark::bench {
namespace {

constexpr std::uint64_t kRows = 500'000;
constexpr std::size_t kChunkBytes = 256 * 1024;

OrderTotal read_in_chunks(std::string_view text, JsonChunk& chunk) {
  OrderTotal total;
  while (!text.empty()) {
    const std::string_view most = text.substr(0, kChunkBytes);
    chunk.run().rows = most.substr(0, most.rfind('\n') + 1);
    text.remove_prefix(chunk.rows().size());
    chunk.parse();
    for (std::size_t i = 0; i < chunk.batch_count(); ++i) total.add(chunk.batch(i));
  }
  return total;
}

void report_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) *
                          static_cast<std::int64_t>(state.iterations()));
}

void limit_three_members_of_five(benchmark::State& state) {
  const std::string text = orders_as_text(RecordFormat::kNdjson, kRows);
  for (auto _ : state) benchmark::DoNotOptimize(read_by_hand(text));
  report_bytes(state, text);
}

void ndjson_three_members_of_five(benchmark::State& state) {
  const std::string text = orders_as_text(RecordFormat::kNdjson, kRows);
  const JsonPlan plan = plan_json(order_options(FileFormat::kJsonLines), text, "the bench").value();
  JsonChunk chunk(plan.rows, plan.columns, FileFormat::kJsonLines, Batch::kDefaultCapacity);
  OrderTotal total;
  for (auto _ : state) total = read_in_chunks(text, chunk);
  if (!are_right(state, total, read_by_hand(text))) return;
  report_bytes(state, text);
}

BENCHMARK(limit_three_members_of_five)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ndjson_three_members_of_five)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidemark::bench
