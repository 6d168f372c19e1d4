// Public data files, run through the `tidemark window` command. The files are no part of the
// project: they are looked for in $TIDEMARK_CASES or ../shared/cases, and the tests are skipped
// without them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/case_table.h"
#include "support/test_paths.h"

namespace tidemark::test_support {

using Table = std::vector<std::vector<std::string>>;

// Fields without quotes, as all files here and the command's output of numbers have.
inline Table read_table(const std::filesystem::path& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream) << path;
  Table table;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    table.push_back(std::move(fields));
  }
  return table;
}

inline double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

inline EventTime time_of(const std::string& text) {
  const auto time = parse_case_time(text);
  EXPECT_TRUE(time) << time.error().message;
  return time.value_or(0);
}

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TIDEMARK_CASES");
    const std::filesystem::path cases =
        folder != nullptr ? std::string(folder) : source_directory() + "/../shared/cases";
    data_ = cases / "data";
    if (!std::filesystem::exists(data_)) {
      GTEST_SKIP() << "no data files at " << data_ << "; set TIDEMARK_CASES to their folder";
    }
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    scratch_ = std::filesystem::path(testing::TempDir()) /
               fmt::format("tidemark_real_data_{}", info->name());
    std::filesystem::create_directories(scratch_);
  }

  void TearDown() override {
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_);
  }

  // Runs `tidemark window INPUT OPTIONS` with times in ms, on one core and on two, whose outputs
  // must be the same bytes. Returns the results; the summary is in `summary_`.
  Table window(const std::filesystem::path& input, const std::string& options) {
    const std::string one = run_command(input, options, 1);
    const std::string two = run_command(input, options, 2);
    EXPECT_EQ(one, two) << "one core and two cores write different files";
    EXPECT_EQ(summary("rows_read"), summary("rows_on_time") + summary("rows_late") +
                                        summary("rows_bad") + summary("rows_in_no_window"));
    EXPECT_EQ(summary("rows_bad"), 0);
    return read_table(output_path());
  }

  std::int64_t summary(const std::string& name) const { return summary_.value(name, INT64_C(-1)); }

  std::filesystem::path data(const std::string& name) const { return data_ / name; }
  std::filesystem::path scratch(const std::string& name) const { return scratch_ / name; }

  // Columns of results and of the expected file by position; times there are ISO 8601.
  void expect_table(const Table& results, const std::string& expected_name,
                    const std::vector<std::size_t>& result_columns) {
    const Table expected = read_table(data("expected/" + expected_name));
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      SCOPED_TRACE(fmt::format("{} data row {}", expected_name, row + 1));
      for (std::size_t i = 0; i < result_columns.size(); ++i) {
        const std::string& text = expected[row].at(i);
        const bool is_time = text.find('T') != std::string::npos;
        const double value = is_time ? static_cast<double>(time_of(text)) : number(text);
        ASSERT_EQ(number(results[row].at(result_columns[i])), value);
      }
    }
  }

 private:
  std::filesystem::path output_path() const { return scratch("out.csv"); }

  std::string run_command(const std::filesystem::path& input, const std::string& options,
                          int cores) {
    const std::string command = fmt::format(
        "'{}' window '{}' {} --cores {} --times ms --output '{}' --output-format csv "
        "--summary '{}' --quiet",
        command_path(), input.string(), options, cores, output_path().string(),
        scratch("summary.json").string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream summary_stream(scratch("summary.json"));
    summary_ = nlohmann::json::parse(summary_stream, nullptr, false);
    EXPECT_FALSE(summary_.is_discarded()) << "the summary is no JSON";
    if (summary_.is_discarded()) summary_ = nlohmann::json::object();
    std::ifstream output(output_path());
    std::ostringstream text;
    text << output.rdbuf();
    return text.str();
  }

  std::filesystem::path data_;
  std::filesystem::path scratch_;
  nlohmann::json summary_ = nlohmann::json::object();
};

}  // namespace tidemark::test_support
