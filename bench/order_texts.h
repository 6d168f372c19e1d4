// Orders as text in each format that is read, and the shortest loop that reads them.
#pragma once

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/connectors/file_options.h"
#include "tidemark/connectors/generated_records.h"

namespace tidemark::bench {

inline std::string orders_as_text(RecordFormat format, std::uint64_t rows) {
  GeneratorParameters parameters;
  parameters.rows = rows;
  parameters.keys = 10'000;
  const auto records = make_generated_records("orders", parameters).value();
  fmt::memory_buffer text;
  RecordText out(format, records->names(), text);
  out.header();
  for (std::uint64_t row = 0; row < rows; ++row) records->append(row, out);
  return fmt::to_string(text);
}

// Three columns of five: user_id, amount, ts.
inline FileSourceOptions order_options(FileFormat format) {
  FileSourceOptions options;
  options.format = format;
  options.time_column = "ts";
  options.time.unit = TimeUnit::kMilliseconds;
  options.keys = {"user_id"};
  options.values = {{"amount", std::nullopt, false}};
  return options;
}

// Something of every cell, so that no reading can be left out.
struct OrderTotal {
  std::uint64_t rows = 0;
  std::uint64_t key_bytes = 0;
  double amounts = 0;
  EventTime times = 0;

  void add(const Batch& batch) {
    rows += batch.size();
    for (std::size_t row = 0; row < batch.size(); ++row) {
      key_bytes += batch.column(0).string(row).size();
      amounts += batch.column(1).doubles()[row];
      times += batch.times()[row];
    }
  }
  friend bool operator==(const OrderTotal&, const OrderTotal&) = default;
};

template <typename Number>
const char* read_after(const char* at, const char* end, std::string_view name, Number& number) {
  const std::string_view left(at, static_cast<std::size_t>(end - at));
  at += left.find(name) + name.size();
  return fast_float::from_chars(at, end, number).ptr;
}

// Of newline-delimited JSON. It looks for the names in the order in which they come and reads what
// follows, without looking at anything else; what it must not meet is an escape, another order, a
// missing member or a bad row.
inline OrderTotal read_by_hand(std::string_view text) {
  OrderTotal total;
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

}  // namespace tidemark::bench
