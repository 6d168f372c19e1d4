// Reading CSV from memory: three columns out of five, order_id,user_id,amount,ts,country. Beside it
// the shortest hand-written loop that takes the same three columns out of the same text, and a scan
// that only counts lines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "right_results.h"
#include "tidemark/connectors/csv_chunk.h"
#include "tidemark/connectors/csv_plan.h"
#include "tidemark/connectors/order_generator.h"

namespace tidemark {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::uint64_t kRows = 500'000;

enum class Style { kPlain, kQuoted };

// Orders as `tidemark gen orders` writes them, or with every cell in quotes.
std::string orders_text(Style style) {
  OrdersConfig config;
  config.keys = 10'000;
  const OrderGenerator orders(config);
  std::string text = "order_id,user_id,amount,ts,country\n";
  const std::string quote = style == Style::kQuoted ? "\"" : "";
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const std::uint64_t hash = orders.hash(row);
    const std::int64_t cents = OrderGenerator::cents(hash);
    std::string part = std::to_string(cents % 100);
    part.insert(0, 2 - part.size(), '0');
    const std::string cells[] = {std::to_string(row + 1), std::to_string(orders.user(hash)),
                                 std::to_string(cents / 100) + "." + part,
                                 std::to_string(orders.time(row, hash)),
                                 std::string(OrderGenerator::country(hash))};
    for (std::size_t i = 0; i < std::size(cells); ++i) {
      text += (i > 0 ? "," : "") + quote + cells[i] + quote;
    }
    text += '\n';
  }
  return text;
}

const std::string& text_of(Style style) {
  static const std::string plain = orders_text(Style::kPlain);
  static const std::string quoted = orders_text(Style::kQuoted);
  return style == Style::kPlain ? plain : quoted;
}

void count_bytes(benchmark::State& state, std::string_view text) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

// What three cells of a row add to a sum that shows whether cells were read rightly.
std::uint64_t mix_cells(std::string_view user, double amount, std::int64_t time) {
  return (std::hash<std::string_view>{}(user) ^ std::bit_cast<std::uint64_t>(amount)) *
             std::uint64_t{0x9e3779b97f4a7c15} +
         static_cast<std::uint64_t>(time) * std::hash<std::string_view>{}(user);
}

std::uint64_t mix_cells(const Batch& rows) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    sum += mix_cells(rows.column(0).string(row), rows.column(1).doubles()[row], rows.times()[row]);
  }
  return sum;
}

// By the loop below, of the text without quotes.
std::uint64_t expected_cells();

void parse(benchmark::State& state, Style style) {
  const std::string& text = text_of(style);
  FileSourceOptions options;
  options.time_column = "ts";
  options.keys = {"user_id"};
  options.values = {{"amount", {}, false}};
  const Expected<CsvPlan> plan =
      plan_csv(options, std::string_view(text).substr(0, 4096), "orders");
  if (!plan) return state.SkipWithError(plan.error().message.c_str());
  CsvChunk chunk(*plan, Batch::kDefaultCapacity);
  const std::string_view rows = std::string_view(text).substr(plan->header_bytes);
  const auto parse_all = [&](const auto& visit) {
    for (std::size_t at = 0; at < rows.size();) {
      std::string_view part = rows.substr(at, kChunkBytes);
      part = part.substr(0, part.rfind('\n') + 1);
      chunk.run().rows = part;
      chunk.parse();
      for (std::size_t i = 0; i < chunk.batch_count(); ++i) visit(chunk.batch(i));
      at += part.size();
    }
  };
  std::uint64_t cells = 0;
  parse_all([&](const Batch& batch) { cells += mix_cells(batch); });
  if (!bench::are_right(state, cells, expected_cells())) return;
  std::uint64_t parsed = 0;
  for (auto _ : state) {
    parse_all([&](const Batch& batch) { parsed += batch.size(); });
  }
  benchmark::DoNotOptimize(parsed);
  count_bytes(state, rows);
}

void parse_plain(benchmark::State& state) { parse(state, Style::kPlain); }
void parse_quoted(benchmark::State& state) { parse(state, Style::kQuoted); }
BENCHMARK(parse_plain);
BENCHMARK(parse_quoted);

// Columns, number of decimals and types known beforehand; no quotes, no NULLs, no bad rows.
class HandWritten {
 public:
  static constexpr std::size_t kBatch = 1024;

  // Calls visit(rows of the batch) whenever a batch is full, and for the rest.
  template <typename Visit>
  void read(std::string_view text, const Visit& visit) {
    const char* const end = text.data() + text.size();
    std::size_t row = 0;
    for (const char* at = text.data(); at != end;) {
      while (*at != ',') ++at;
      const char* const user = ++at;
      while (*at != ',') ++at;
      users[row] = {user, static_cast<std::size_t>(at - user)};
      std::int64_t cents = 0;
      for (++at; *at != ','; ++at) {
        if (*at != '.') cents = cents * 10 + (*at - '0');
      }
      amounts[row] = static_cast<double>(cents) / 100;
      std::int64_t time = 0;
      for (++at; *at != ','; ++at) time = time * 10 + (*at - '0');
      times[row] = time;
      while (*at != '\n') ++at;
      ++at;
      if (++row < kBatch) continue;
      visit(row);
      row = 0;
    }
    visit(row);
  }

  std::vector<std::string_view> users = std::vector<std::string_view>(kBatch);
  std::vector<double> amounts = std::vector<double>(kBatch);
  std::vector<std::int64_t> times = std::vector<std::int64_t>(kBatch);
};

std::string_view plain_rows() {
  const std::string_view text = text_of(Style::kPlain);
  return text.substr(text.find('\n') + 1);
}

std::uint64_t expected_cells() {
  HandWritten loop;
  std::uint64_t sum = 0;
  loop.read(plain_rows(), [&](std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      sum += mix_cells(loop.users[i], loop.amounts[i], loop.times[i]);
    }
  });
  return sum;
}

void hand_written(benchmark::State& state) {
  HandWritten loop;
  for (auto _ : state) {
    loop.read(plain_rows(), [&](std::size_t) {
      benchmark::DoNotOptimize(loop.users.data());
      benchmark::DoNotOptimize(loop.amounts.data());
      benchmark::DoNotOptimize(loop.times.data());
      benchmark::ClobberMemory();
    });
  }
  count_bytes(state, plain_rows());
}
BENCHMARK(hand_written);

void count_lines(benchmark::State& state) {
  const std::string& text = text_of(Style::kPlain);
  for (auto _ : state) {
    std::uint64_t lines = 0;
    for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
      at = static_cast<const char*>(
          std::memchr(at, '\n', static_cast<std::size_t>(text.data() + text.size() - at)));
      ++lines;
    }
    benchmark::DoNotOptimize(lines);
  }
  count_bytes(state, text);
}
BENCHMARK(count_lines);

}  // namespace
}  // namespace tidemark
