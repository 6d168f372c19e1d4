// JSON of Google Benchmark programs, put together for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tidemark::test_support {

// One repetition; `rest` is more of its members, such as `,"time_unit":"us"`.
inline std::string benchmark_row(const std::string& name, double time,
                                 const std::string& rest = "") {
  return fmt::format(R"({{"name":"{0}","run_name":"{0}","run_type":"iteration","iterations":100,)"
                     R"("real_time":{1},"cpu_time":{1}{2}}})",
                     name, time, rest);
}

inline std::vector<std::string> benchmark_rows(const std::string& name,
                                               const std::vector<double>& times,
                                               const std::string& rest = "") {
  std::vector<std::string> rows;
  for (const double time : times) rows.push_back(benchmark_row(name, time, rest));
  return rows;
}

// Ten repetitions of one time.
inline std::vector<std::string> steady_rows(const std::string& name, double time,
                                            const std::string& rest = "") {
  return benchmark_rows(name, std::vector<double>(10, time), rest);
}

inline std::string benchmark_json(const std::vector<std::string>& rows,
                                  const std::string& context = R"("num_cpus":2)") {
  return fmt::format("{{\"context\":{{{}}},\n\"benchmarks\":[\n{}\n]}}\n", context,
                     fmt::join(rows, ",\n"));
}

}  // namespace tidemark::test_support
