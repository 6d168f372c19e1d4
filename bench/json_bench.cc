// Newline-delimited JSON into batches: three members used out of five. The limit looks for the
// names in the order in which they come and reads what follows, without looking at anything else;
// what it must not meet is an escape, another order, a missing member or a bad row.
//
//   json_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//              --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/connectors/generated_records.h"
#include "tidemark/connectors/json_chunk.h"
#include "tidemark/connectors/json_plan.h"

namespace tidemark::bench {
namespace {

constexpr std::uint64_t kRows = 500'000;
constexpr std::size_t kChunkBytes = 256 * 1024;

std::string orders_as_json() {
  GeneratorParameters parameters;
  parameters.rows = kRows;
  parameters.keys = 10'000;
  const auto records = make_generated_records("orders", parameters).value();
  fmt::memory_buffer text;
  RecordText out(RecordFormat::kNdjson, records->names(), text);
  for (std::uint64_t row = 0; row < kRows; ++row) records->append(row, out);
  return fmt::to_string(text);
}

// Something of every cell, so that no reading can be left out.
struct Total {
  std::uint64_t rows = 0;
  std::uint64_t key_bytes = 0;
  double amounts = 0;
  EventTime times = 0;

  friend bool operator==(const Total&, const Total&) = default;
};

template <typename Number>
const char* read_after(const char* at, const char* end, std::string_view name, Number& number) {
  const std::string_view left(at, static_cast<std::size_t>(end - at));
  at += left.find(name) + name.size();
  return fast_float::from_chars(at, end, number).ptr;
}

Total hand_written(std::string_view text) {
  Total total;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double amount = 0;
    std::int64_t time = 0;
    const std::string_view left(at, static_cast<std::size_t>(end - at));
    constexpr std::string_view kUser = "\"user_id\":";
    const char* const user_begin = at + left.find(kUser) + kUser.size();
    const char* const user_end = static_cast<const char*>(__builtin_memchr(user_begin, ',', 32));
    at = read_after(user_end, end, "\"amount\":", amount);
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    constexpr std::string_view kTime = "\"ts\":";
    at += rest.find(kTime) + kTime.size();
    for (; *at >= '0' && *at <= '9'; ++at) time = time * 10 + (*at - '0');
    const auto* const line_end =
        static_cast<const char*>(__builtin_memchr(at, '\n', static_cast<std::size_t>(end - at)));
    at = line_end + 1;
    ++total.rows;
    total.key_bytes += static_cast<std::uint64_t>(user_end - user_begin);
    total.amounts += amount;
    total.times += time;
  }
  return total;
}

FileSourceOptions options() {
  FileSourceOptions options;
  options.format = FileFormat::kJsonLines;
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"user_id"};
  options.values = {{"amount", std::nullopt, false}};
  return options;
}

Total read_in_chunks(std::string_view text, JsonChunk& chunk) {
  Total total;
  while (!text.empty()) {
    const std::string_view most = text.substr(0, kChunkBytes);
    chunk.run().rows = most.substr(0, most.rfind('\n') + 1);
    text.remove_prefix(chunk.rows().size());
    chunk.parse();
    for (std::size_t i = 0; i < chunk.batch_count(); ++i) {
      const Batch& batch = chunk.batch(i);
      total.rows += batch.size();
      for (std::size_t row = 0; row < batch.size(); ++row) {
        total.key_bytes += batch.column(0).string(row).size();
        total.amounts += batch.column(1).doubles()[row];
        total.times += batch.times()[row];
      }
    }
  }
  return total;
}

void report_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) *
                          static_cast<std::int64_t>(state.iterations()));
}

void limit_three_members_of_five(benchmark::State& state) {
  const std::string text = orders_as_json();
  for (auto _ : state) benchmark::DoNotOptimize(hand_written(text));
  report_bytes(state, text);
}

void ndjson_three_members_of_five(benchmark::State& state) {
  const std::string text = orders_as_json();
  const JsonPlan plan = plan_json(options(), text, "the bench").value();
  JsonChunk chunk(plan.rows, plan.columns, FileFormat::kJsonLines, Batch::kDefaultCapacity);
  Total total;
  for (auto _ : state) total = read_in_chunks(text, chunk);
  report_bytes(state, text);
  if (total != hand_written(text)) state.SkipWithError("the cells are not those of the loop");
}

BENCHMARK(limit_three_members_of_five)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ndjson_three_members_of_five)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidemark::bench
