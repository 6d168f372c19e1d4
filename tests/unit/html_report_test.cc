#include "tidemark/perf/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace tidemark {
namespace {

using testing::HasSubstr;
using testing::Not;

const ReportDocument kBench{"bench.json", R"({"schema": "tidemark-bench/2", "options": {}})"};

struct RefusedDocument {
  const char* name;
  const char* json;
  const char* message;
};
class RefusedDocumentTest : public testing::TestWithParam<RefusedDocument> {};

TEST_P(RefusedDocumentTest, IsNamedInOneSentence) {
  const auto page = html_report({kBench, {"other.json", GetParam().json}});
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().message, testing::StartsWith("other.json:"));
  EXPECT_THAT(page.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(page.error().message, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Documents, RefusedDocumentTest,
    testing::Values(
        RefusedDocument{"Empty", "", "is empty"}, RefusedDocument{"Blank", " \n\n", "is empty"},
        RefusedDocument{"CutOff", "{\"schema\": \"tidemark-bench/2\",\n\"op",
                        "other.json:2: the file ends"},
        RefusedDocument{"NotANumber", "{\"schema\": \"tidemark-bench/2\",\n\"a\": nan}",
                        "other.json:2:7: this is not JSON: nan is no JSON value"},
        RefusedDocument{"NoObject", "[1, 2]", "has no schema"},
        RefusedDocument{"NoSchema", R"({"benchmarks": []})", "has no schema"},
        RefusedDocument{"SchemaIsNumber", R"({"schema": 2})", "has no schema"},
        RefusedDocument{"OldSchema", R"({"schema": "tidemark-bench/1"})", "tidemark-bench/2"},
        RefusedDocument{"HistoryWithABadLine",
                        "{\"schema\":\"tidemark-history/1\"}\n{\"schema\":\"tidemark-hi", "line 2"},
        RefusedDocument{"HistoryWithAForeignLine",
                        "{\"schema\":\"tidemark-history/1\"}\n\n{\"runs\":[]}\n", "line 3"}),
    [](const testing::TestParamInfo<RefusedDocument>& test) {
      return std::string(test.param.name);
    });

TEST(HtmlReportTest, NeedsADocument) { EXPECT_FALSE(html_report({})); }

TEST(HtmlReportTest, HoldsTheDocumentsAsTheyAre) {
  const auto page = html_report({kBench});
  ASSERT_TRUE(page);
  std::smatch held;
  const std::regex script(
      "<script type=\"application/json\" data-document=\"bench.json\">(.*)</script>");
  ASSERT_TRUE(std::regex_search(*page, held, script));
  EXPECT_EQ(nlohmann::json::parse(held[1].str()), nlohmann::json::parse(kBench.json));
}

TEST(HtmlReportTest, TextOfADocumentCannotBecomeMarkup) {
  const std::string evil = "</script><script>alert(1)</script><!--";
  const nlohmann::json document = {{"schema", "tidemark-bench/2"}, {"options", {{"window", evil}}}};
  const auto page = html_report({{"\"><b>&.json", document.dump()}});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(*page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_THAT(*page, HasSubstr("data-document=\"&quot;&gt;&lt;b&gt;&amp;.json\""));
}

TEST(HtmlReportTest, NamesNothingToLoadAndForbidsIt) {
  const auto page = html_report({kBench});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("default-src 'none'"));
  const std::regex loads(
      R"(<(img|iframe|object|embed|video|audio)\b|<script[^>]* src=|@import|url\()"
      R"(|<link[^>]* href="(?!data:,"))");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(*page, found, loads)) << found.str();
}

TEST(HtmlReportTest, KeepsTheLicenceOfTheChartLibrary) {
  const auto page = html_report({kBench});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("Chart.js v3"));
  EXPECT_THAT(*page, HasSubstr("Released under the MIT License"));
  EXPECT_THAT(*page, HasSubstr("Permission is hereby granted, free of charge"));
}

}  // namespace
}  // namespace tidemark
