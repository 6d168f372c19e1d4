// Every number of a comparison's reports for people follows from its JSON.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tidemark/perf/comparison_json.h"
#include "tidemark/perf/comparison_text.h"

namespace tidemark {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Figure reported_figure(const std::string& name, const std::string& unit, Better better,
                       FigureKind kind, double middle) {
  Figure figure{name, unit, better, kind};
  const bool varies = kind == FigureKind::kTiming;
  for (int i = 0; i < (varies ? 11 : 1); ++i) {
    figure.samples.push_back(varies ? middle * (1 + 0.001 * (i - 5)) : middle);
  }
  return figure;
}

// A figure of every kind, unit and verdict.
Comparison every_figure(const CompareOptions& options) {
  Measurement base, next;
  base.source = "base.json";
  next.source = "new_1.json";
  base.schema = next.schema = "google-benchmark/1";
  const auto add = [&](const char* name, const char* unit, Better better, FigureKind kind,
                       double before, double after) {
    base.figures.push_back(reported_figure(name, unit, better, kind, before));
    next.figures.push_back(reported_figure(name, unit, better, kind, after));
  };
  const FigureKind timing = FigureKind::kTiming, counter = FigureKind::kCounter;
  add("parse", "ns", Better::kLower, timing, 101.25, 120.5);
  add("sort/1024", "ns", Better::kLower, timing, 45'678.9, 45'700.1);
  add("merge a|b", "ns", Better::kLower, timing, 3.21e6, 2.5e6);
  add("load", "ns", Better::kLower, timing, 1.5e9, 9.87e10);
  add("throughput", "rows/s", Better::kHigher, timing, 43'054'638.8, 40'039'666.5);
  add("items", "1/s", Better::kHigher, timing, 812.5, 99'500);
  add("slow items", "1/s", Better::kHigher, timing, 1.25, 1.5);
  add("peak memory", "B", Better::kLower, timing, 7.5e6, 7.6e6);
  add("ratio", "", Better::kLower, timing, 0.123456789, 0.123456788);
  add("updates", "", Better::kLower, counter, 1'000'000, 1'000'001);
  add("merges", "", Better::kLower, counter, 2.5, 2.25);
  add("late", "", Better::kLower, counter, 0, 3);
  add("results", "", Better::kEqual, counter, 50, 50);
  add("instructions", "by CPU", Better::kLower, FigureKind::kInstructions, 1e9, 1.015e9);
  add("few samples", "ns", Better::kLower, timing, 5, 5);
  base.figures.back().samples.resize(2);
  Figure checksum{"options_text", "", Better::kEqual, counter};
  checksum.text = "0xabc";
  base.figures.push_back(checksum);
  next.figures.push_back(checksum);
  base.figures.push_back(reported_figure("gone", "ns", Better::kLower, timing, 7'770));
  next.figures.push_back(reported_figure("fresh", "ns", Better::kLower, timing, 8'880));
  return compare(base, next, options);
}

struct ShownNumber {
  double value = 0;
  double tolerance = 0;  // half of its last digit
  std::string rest;
};

ShownNumber number_in(const std::string& text) {
  std::size_t length = 0;
  const double value = std::stod(text, &length);
  const std::string digits = text.substr(0, length);
  const std::size_t exponent = digits.find('e');
  const std::size_t dot = digits.find('.');
  const std::size_t decimals =
      dot == std::string::npos ? 0 : std::min(exponent, digits.size()) - dot - 1;
  double tolerance = 0.5000001 * std::pow(10, -static_cast<double>(decimals));
  if (exponent != std::string::npos)
    tolerance *= std::pow(10, std::stod(digits.substr(exponent + 1)));
  return {value, tolerance,
          text.substr(std::min(text.find_first_not_of(' ', length), text.size()))};
}

// What one of a unit's names stands for.
double scale_of(const std::string& shown_unit, const std::string& unit) {
  const std::map<std::string, double> times{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (unit == "ns") return times.contains(shown_unit) ? times.at(shown_unit) : 0;
  if (shown_unit == unit) return 1;
  if (shown_unit == "k " + unit) return 1e3;
  return shown_unit == "M " + unit ? 1e6 : 0;
}

double median_in(const json& samples) {
  std::vector<double> values = samples.get<std::vector<double>>();
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

void expect_shows_side(const std::string& shown, const json& side, const std::string& unit) {
  if (side.is_null()) {
    EXPECT_EQ(shown, "-");
    return;
  }
  if (side.contains("text")) {
    EXPECT_EQ(shown, side["text"]);
    return;
  }
  EXPECT_EQ(side["count"], side["samples"].size());
  EXPECT_DOUBLE_EQ(side["median"], median_in(side["samples"]));
  const ShownNumber number = number_in(shown);
  const double scale = scale_of(number.rest, unit);
  ASSERT_GT(scale, 0) << shown << ", unit " << unit;
  EXPECT_NEAR(number.value * scale, side["median"].get<double>(), number.tolerance * scale)
      << shown;
  // Rounding takes less than a change that could matter.
  EXPECT_NEAR(number.value * scale, side["median"].get<double>(),
              0.005 * side["median"].get<double>())
      << shown;
}

void expect_shows_change(const std::string& shown, const json& figure) {
  EXPECT_NEAR(number_in(shown).value, 100 * figure["change"].get<double>(), 0.0500001) << shown;
  EXPECT_EQ(number_in(shown).rest, "%");
  EXPECT_NEAR(figure["change"].get<double>(),
              figure["new"]["median"].get<double>() / figure["base"]["median"].get<double>() - 1,
              1e-12);
}

void expect_shows_test(const std::string& shown, const json& figure) {
  if (figure["p_value"].is_null()) {
    EXPECT_EQ(shown, "exact");
    EXPECT_EQ(figure["kind"], "counter");
  } else if (shown == "p<0.001") {
    EXPECT_LT(figure["p_value"].get<double>(), 0.001);
  } else {
    ASSERT_EQ(shown.substr(0, 2), "p=");
    EXPECT_NEAR(std::stod(shown.substr(2)), figure["p_value"].get<double>(), 0.000500001);
  }
}

// `cells` are name, base, new, change, test and reason, without those that are empty.
void expect_shows_figure(const std::vector<std::string>& cells, const json& figure) {
  SCOPED_TRACE(figure.dump());
  std::size_t at = 3;
  ASSERT_GE(cells.size(), at);
  EXPECT_EQ(cells[0], figure["name"]);
  expect_shows_side(cells[1], figure["base"], figure["unit"]);
  expect_shows_side(cells[2], figure["new"], figure["unit"]);
  if (!figure["change"].is_null()) expect_shows_change(cells.at(at++), figure);
  if (!figure["p_value"].is_null() || figure["kind"] == "counter") {
    expect_shows_test(cells.at(at++), figure);
  }
  if (figure["reason"] != "") {
    EXPECT_EQ(cells.at(at++), figure["reason"]);
  }
  EXPECT_EQ(at, cells.size());
}

std::vector<json> figures_with(const json& report, const std::string& verdict) {
  std::vector<json> figures;
  for (const json& figure : report["figures"]) {
    if (figure["verdict"] == verdict) figures.push_back(figure);
  }
  return figures;
}

std::vector<std::string> split(const std::string& text, const std::regex& separator) {
  std::vector<std::string> parts;
  for (std::sregex_token_iterator part(text.begin(), text.end(), separator, -1), end; part != end;
       ++part) {
    if (!part->str().empty()) parts.push_back(*part);
  }
  return parts;
}

// The title that a table of the verdict has.
const std::map<std::string, std::string> kTitles{
    {"regressed", "regressed"}, {"missing", "missing"}, {"invalid", "cannot be judged"},
    {"improved", "improved"},   {"added", "added"},     {"same", "same"}};

std::string expected_verdict(const json& report) {
  const std::size_t failures =
      figures_with(report, "regressed").size() + figures_with(report, "missing").size();
  return fmt::format("REGRESSED: {} of {} figures; and {}", failures, report["figures"].size(),
                     report["not_comparable"].get<std::string>());
}

std::string expected_options(const json& report) {
  const json& options = report["options"];
  return fmt::format("threshold {} %, alpha {}, at least {} samples a side, rank test",
                     100 * options["threshold"].get<double>(), options["alpha"].get<double>(),
                     options["min_runs"].get<int>());
}

class ComparisonReportTest : public testing::Test {
 protected:
  ComparisonReportTest() : report_(json::parse(comparison_json(comparison_, nullptr))) {
    for (const auto& [verdict, title] : kTitles) {
      EXPECT_FALSE(figures_with(report_, verdict).empty()) << verdict;
    }
  }

  Comparison comparison_ = every_figure({});
  json report_;
};

TEST_F(ComparisonReportTest, EveryNumberOfTheTableFollowsFromTheJson) {
  std::string text = comparison_text(comparison_, true);
  EXPECT_THAT(text, HasSubstr("      " + expected_options(report_) + "\n"));
  EXPECT_TRUE(text.ends_with("\n\n" + expected_verdict(report_) + "\n")) << text;
  std::size_t rows = 0;
  for (const auto& [verdict, title] : kTitles) {
    const std::vector<json> figures = figures_with(report_, verdict);
    const std::string heading = fmt::format("\n\n{}, {}\n", title, figures.size());
    const std::size_t begin = text.find(heading);
    ASSERT_NE(begin, std::string::npos) << heading;
    std::istringstream lines(text.substr(begin + heading.size()));
    std::string line;
    for (const json& figure : figures) {
      std::getline(lines, line);
      expect_shows_figure(split(line, std::regex("  +")), figure);
      ++rows;
    }
    std::getline(lines, line);
    EXPECT_EQ(line, "") << "after the figures of " << title;
  }
  EXPECT_EQ(rows, report_["figures"].size());
}

TEST_F(ComparisonReportTest, WithoutAllTheTableOnlyCountsWhatIsTheSame) {
  const std::string text = comparison_text(comparison_, false);
  EXPECT_THAT(text, HasSubstr(fmt::format("\nsame, {}; --all lists them\n",
                                          figures_with(report_, "same").size())));
}

std::string without_backslashes(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\\(.))"), "$1");
}

TEST_F(ComparisonReportTest, EveryNumberOfTheMarkdownFollowsFromTheJson) {
  const std::string text = comparison_markdown(comparison_);
  EXPECT_THAT(without_backslashes(text), HasSubstr(expected_verdict(report_)));
  EXPECT_THAT(text, HasSubstr(expected_options(report_)));
  EXPECT_THAT(text, HasSubstr(fmt::format("<summary>{} figures are the same</summary>",
                                          figures_with(report_, "same").size())));
  std::map<std::string, std::vector<std::vector<std::string>>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| verdict")) continue;
    // A bar that is part of a name has a backslash before it.
    std::vector<std::string> cells = split(line.substr(2), std::regex(R"( +\|(?: |$))"));
    for (std::string& cell : cells) cell = without_backslashes(cell);
    const std::string title = cells.front();
    rows[title].emplace_back(cells.begin() + 1, cells.end());
  }
  for (const auto& [verdict, title] : kTitles) {
    const std::vector<json> figures = figures_with(report_, verdict);
    ASSERT_EQ(rows[title].size(), figures.size()) << title;
    for (std::size_t i = 0; i < figures.size(); ++i)
      expect_shows_figure(rows[title][i], figures[i]);
  }
}

// Of `median A became B UNIT (C %), p = P`.
void expect_sentence_shows(const std::string& sentence, const json& figure) {
  SCOPED_TRACE(figure.dump());
  const std::regex medians(R"(: median (\S+) became (\S+) )"), change(R"( \((\S+) %\))"),
      p(R"(, p = ([0-9.e-]+))");
  const bool has_medians =
      !figure["base"].is_null() && !figure["new"].is_null() && figure["base"].contains("median");
  std::smatch found;
  ASSERT_EQ(std::regex_search(sentence, found, medians), has_medians) << sentence;
  if (has_medians) {
    for (const auto& [at, side] : std::map<std::size_t, const char*>{{1, "base"}, {2, "new"}}) {
      const double median = figure[side]["median"];
      EXPECT_NEAR(std::stod(found[at]), median, 5.1e-6 * median);
    }
  }
  ASSERT_EQ(std::regex_search(sentence, found, change), !figure["change"].is_null()) << sentence;
  if (!figure["change"].is_null()) {
    EXPECT_NEAR(std::stod(found[1]), 100 * figure["change"].get<double>(), 0.00500001);
  }
  ASSERT_EQ(std::regex_search(sentence, found, p), !figure["p_value"].is_null()) << sentence;
  if (!figure["p_value"].is_null()) {
    const double value = figure["p_value"];
    EXPECT_NEAR(std::stod(found[1]), value, 5.1e-3 * value);
  }
  EXPECT_TRUE(sentence.starts_with(figure["verdict"].get<std::string>())) << sentence;
  EXPECT_TRUE(sentence.ends_with(figure["reason"].get<std::string>())) << sentence;
}

void expect_junit_follows(const std::string& xml, const json& report) {
  const bool allow_missing = report["options"]["allow_missing"];
  std::size_t failures = 0, skipped = 0;
  for (const json& figure : report["figures"]) {
    const std::string verdict = figure["verdict"];
    const bool is_skipped = verdict == "missing" && allow_missing;
    const bool fails =
        verdict == "regressed" || verdict == "invalid" || (verdict == "missing" && !allow_missing);
    failures += fails ? 1 : 0;
    skipped += is_skipped ? 1 : 0;
    const std::string head =
        fmt::format("name=\"{}\" time=\"0\">", figure["name"].get<std::string>());
    const std::size_t begin = xml.find(head);
    ASSERT_NE(begin, std::string::npos) << head;
    const std::string body =
        xml.substr(begin + head.size(), xml.find("</testcase>", begin) - begin - head.size());
    std::smatch said;
    const std::regex form(fails        ? "<failure type=\"" + verdict + "\" message=\"([^\"]*)\"/>"
                          : is_skipped ? "<skipped message=\"([^\"]*)\"/>"
                                       : "<system-out>([^<]*)</system-out>");
    ASSERT_TRUE(std::regex_match(body, said, form)) << body;
    expect_sentence_shows(said[1], figure);
  }
  const std::size_t whole = report["not_comparable"].is_null() ? 0 : 1;
  EXPECT_THAT(xml,
              HasSubstr(fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                                    report["figures"].size() + whole, failures + whole, skipped)));
}

TEST_F(ComparisonReportTest, EveryNumberOfTheJUnitFollowsFromTheJson) {
  expect_junit_follows(comparison_junit(comparison_), report_);
}

TEST_F(ComparisonReportTest, EveryNumberForGithubActionFollowsFromTheJson) {
  std::size_t entries = 0;
  for (const Better better : {Better::kHigher, Better::kLower}) {
    for (const json& entry : json::parse(github_action_json(comparison_, better))) {
      ++entries;
      const auto figure =
          std::find_if(report_["figures"].begin(), report_["figures"].end(),
                       [&](const json& one) { return one["name"] == entry["name"]; });
      ASSERT_NE(figure, report_["figures"].end()) << entry;
      EXPECT_EQ((*figure)["better"] == "higher", better == Better::kHigher) << entry;
      EXPECT_EQ(entry["value"], (*figure)["new"]["median"]);
      EXPECT_EQ(entry["unit"], (*figure)["unit"]);
      expect_sentence_shows(entry["extra"], *figure);
    }
  }
  const std::size_t numbers = static_cast<std::size_t>(std::count_if(
      report_["figures"].begin(), report_["figures"].end(),
      [](const json& one) { return !one["new"].is_null() && one["new"].contains("median"); }));
  EXPECT_EQ(entries, numbers);
}

TEST(ChangePointsTextTest, EveryNumberFollowsFromTheJson) {
  HistoryFindings findings;
  findings.change_points = {
      {"parse", "ns", 18, "2026-01-19T00:00:00Z", "c18", 12'345.6, 15'000.4, 0.001, true},
      {"throughput", "rows/s", 40, "2026-02-10T00:00:00Z", "", 2.5e6, 2.75e6, 0.0094, false},
      {"late", "", 7, "2026-01-08T00:00:00Z", "c7", 0, 12, 0.002, true}};
  const json report = json::parse(comparison_json(every_figure({}), &findings));
  const std::vector<std::string> lines =
      split(change_points_text(findings.change_points), std::regex("\n"));
  ASSERT_EQ(lines.size(), 1 + report["change_points"].size());
  EXPECT_EQ(lines[0], fmt::format("history: {} change points", report["change_points"].size()));
  const std::map<std::string, std::string> units{
      {"parse", "ns"}, {"throughput", "rows/s"}, {"late", ""}};
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const json& point = report["change_points"][i];
    const std::regex form(
        R"(  (\S+)(?:  (\S+) %)?  from (.+) to (.+)  at (\S+?)(?:, commit (\S+))?  p=(\S+?)(  worse)?)");
    std::smatch found;
    ASSERT_TRUE(std::regex_match(lines[i + 1], found, form)) << lines[i + 1];
    const double before = point["before"], after = point["after"];
    EXPECT_EQ(found[1], point["figure"]);
    EXPECT_EQ(found[2].matched, before != 0);
    if (found[2].matched) {
      EXPECT_NEAR(std::stod(found[2]), 100 * (after / before - 1), 0.0500001);
    }
    for (const auto& [at, value] : std::map<std::size_t, double>{{3, before}, {4, after}}) {
      const ShownNumber number = number_in(found[at]);
      const double scale = scale_of(number.rest, units.at(point["figure"]));
      EXPECT_NEAR(number.value * scale, value, number.tolerance * scale) << found[at];
    }
    EXPECT_EQ(found[5], point["time"]);
    EXPECT_EQ(found[6].str(), point["commit"]);
    EXPECT_NEAR(std::stod(found[7]), point["p_value"].get<double>(), 0.000500001);
    EXPECT_EQ(found[8].matched, point["worse"]);
  }
}

TEST_F(ComparisonReportTest, TheJUnitSkipsWhatMayBeMissing) {
  CompareOptions options;
  options.allow_missing = true;
  const Comparison comparison = every_figure(options);
  expect_junit_follows(comparison_junit(comparison),
                       json::parse(comparison_json(comparison, nullptr)));
}

}  // namespace
}  // namespace tidemark
