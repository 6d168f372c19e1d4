#include "tidemark/perf/state_profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/figure_text.h"
#include "tidemark/perf/profile_json.h"
#include "tidemark/perf/profile_text.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::vector<Strategy> kAll{Strategy::kBuckets,   Strategy::kRecompute,
                                 Strategy::kSubtract,  Strategy::kTwoStacks,
                                 Strategy::kWorstCase, Strategy::kBaseIntervals};

// Dense at the longer slide and few keys, sparse at the shorter and many.
ProfileOptions small_profile() {
  ProfileOptions options;
  options.size = 60'000;
  options.slides = {1'000, 6'000};
  options.keys = {10, 2'000};
  options.strategies = kAll;
  options.aggregates = profile_aggregates();
  options.stream.rows = 12'000;
  options.stream.event_rate = default_event_rate(options.size, options.stream.rows);
  options.repeats = 2;
  return options;
}

const StateProfile& profiled() {
  static const StateProfile profile = run_profile(small_profile());
  return profile;
}

const ProfileCell& cell_of(std::int64_t slide, std::uint64_t keys, Strategy strategy) {
  for (const ProfileCell& cell : profiled().cells) {
    if (cell.slide == slide && cell.keys == keys && cell.strategy == strategy) return cell;
  }
  throw std::logic_error("no such cell");
}

TEST(StateProfileTest, HasACellForEverySlideKeysAndStrategyInThatOrder) {
  ASSERT_EQ(profiled().cells.size(), 2U * 2 * 6);
  EXPECT_EQ(profiled().cells[0].slide, 1'000);
  EXPECT_EQ(profiled().cells[6].keys, 2'000U);
  EXPECT_EQ(profiled().cells[7].strategy, Strategy::kRecompute);
  EXPECT_EQ(profiled().cells[12].slide, 6'000);
  for (const ProfileCell& cell : profiled().cells) EXPECT_TRUE(cell.figures->window_filled);
}

TEST(StateProfileTest, StrategiesOfACellHaveTheSameResults) {
  EXPECT_TRUE(profiled().checks.right());
  EXPECT_TRUE(profiled().checks.comparable);
  EXPECT_NE(cell_of(1'000, 10, Strategy::kBuckets).figures->checksum,
            cell_of(6'000, 10, Strategy::kBuckets).figures->checksum);
}

// Over whole windows, what is counted is what the model says, as far as it is not left to chance.
TEST(StateProfileTest, WorkIsAsPredicted) {
  for (const ProfileCell& cell : profiled().cells) {
    const CellFigures& figures = *cell.figures;
    EXPECT_DOUBLE_EQ(figures.updates_per_row, cell.predicted->updates_per_row);
    if (!cell.predicted->merges_per_slide) continue;
    // With few slides per window the worst case is a little better than four merges per entry, and
    // how few windows lie to powers of two is a matter of luck.
    const double tolerance = cell.strategy == Strategy::kBaseIntervals ? 0.2
                             : cell.strategy == Strategy::kWorstCase   ? 0.06
                                                                       : 0.01;
    EXPECT_NEAR(figures.merges_per_slide, *cell.predicted->merges_per_slide,
                tolerance * *cell.predicted->merges_per_slide)
        << cell.slide << " " << cell.keys << " " << to_string(cell.strategy);
  }
}

TEST(StateProfileTest, LiveEntriesAreAsPredicted) {
  for (const ProfileCell& cell : profiled().cells) {
    if (!cell.predicted->live_entries) continue;
    const CellFigures& figures = *cell.figures;
    const double tolerance = cell.strategy == Strategy::kBaseIntervals ? 0.2 : 0.03;
    EXPECT_NEAR(static_cast<double>(figures.live_entries), *cell.predicted->live_entries,
                tolerance * *cell.predicted->live_entries)
        << cell.slide << " " << cell.keys << " " << to_string(cell.strategy);
    EXPECT_GE(figures.allocated_bytes, figures.state_bytes);
  }
}

TEST(StateProfileTest, CountersAreTheSameInEveryRun) {
  ProfileOptions options = small_profile();
  options.slides = {6'000};
  options.repeats = 1;
  const StateProfile once = run_profile(options);
  for (const ProfileCell& cell : once.cells) {
    const CellFigures& a = *cell.figures;
    const CellFigures& b = *cell_of(cell.slide, cell.keys, cell.strategy).figures;
    EXPECT_EQ(a.updates, b.updates);
    EXPECT_EQ(a.merges, b.merges);
    EXPECT_EQ(a.live_entries, b.live_entries);
    // How much more than it was asked for the allocator gives depends on what it has at hand.
    EXPECT_NEAR(static_cast<double>(a.allocated_bytes), static_cast<double>(b.allocated_bytes),
                0.01 * static_cast<double>(b.allocated_bytes));
    EXPECT_EQ(a.key_entries_max, b.key_entries_max);
    EXPECT_EQ(a.top_keys.front().key, b.top_keys.front().key);
    EXPECT_EQ(a.firings.count(), b.firings.count());
    EXPECT_EQ(a.checksum, b.checksum);
  }
}

TEST(StateProfileTest, PanesSaveWorkForDenseKeysAndBytesOnlyForSparseOnes) {
  const auto saving_of = [](std::int64_t slide, std::uint64_t keys, Strategy strategy) {
    for (const PaneSaving& saving : profiled().savings) {
      if (saving.slide == slide && saving.keys == keys && saving.strategy == strategy)
        return saving;
    }
    return PaneSaving{};
  };
  const PaneSaving dense = saving_of(6'000, 10, Strategy::kRecompute);
  EXPECT_GT(dense.work, 8);
  EXPECT_NEAR(dense.entries, 1, 0.05);
  const PaneSaving sparse = saving_of(1'000, 2'000, Strategy::kRecompute);
  EXPECT_NEAR(sparse.work, 1, 0.1);
  EXPECT_GT(sparse.entries, 15);
  EXPECT_GT(saving_of(1'000, 2'000, Strategy::kSubtract).work, 15);

  const std::string text = profile_text(profiled(), {}, {});
  EXPECT_THAT(text, HasSubstr("panes save work where keys are dense, and bytes only where they are "
                              "sparse"));
}

TEST(StateProfileTest, DoesNotSayWhatItsFiguresDoNotShow) {
  ProfileOptions options = small_profile();
  options.keys = {10};
  options.repeats = 1;
  EXPECT_THAT(profile_text(run_profile(options), {}, {}), Not(HasSubstr("so panes save")));
}

TEST(StateProfileTest, AStrategyThatCannotDoACellIsListedWithTheReason) {
  ProfileOptions options = small_profile();
  options.slides = {6'000};
  options.keys = {10};
  options.aggregates = {{AggregateFunction::kMax, 0, "max(amount)"}};
  options.repeats = 1;
  const StateProfile profile = run_profile(options);
  ASSERT_EQ(profile.cells.size(), 6U);
  const ProfileCell& subtract = profile.cells[2];
  EXPECT_FALSE(subtract.figures);
  EXPECT_THAT(*subtract.refused, HasSubstr("max cannot be undone"));
  EXPECT_TRUE(profile.checks.right());
  EXPECT_THAT(profile_text(profile, {}, {}),
              HasSubstr("subtract       refused: strategy subtract cannot compute"));
  const json report = json::parse(profile_json(profile, {}, {}));
  EXPECT_THAT(report["cells"][2]["refused"].get<std::string>(), HasSubstr("cannot be undone"));
  EXPECT_TRUE(report["cells"][2]["rows_per_second"].is_null());
  // Readers find the same members in every cell.
  EXPECT_EQ(report["cells"][2].size(), report["cells"][1].size());
}

TEST(StateProfileTest, ACellThatWouldHoldTooMuchIsListedWithItsPrediction) {
  ProfileOptions options = small_profile();
  options.slides = {1'000};
  options.keys = {2'000};
  options.memory_limit = 1'000'000;
  options.repeats = 1;
  const StateProfile profile = run_profile(options);
  EXPECT_THAT(*profile.cells[0].refused, HasSubstr("more than --memory allows"));
  EXPECT_THAT(*profile.cells[0].refused, Not(HasSubstr(" 0 MiB")));
  EXPECT_GT(*profile.cells[0].predicted->allocated_bytes, 1'000'000);
  EXPECT_FALSE(profile.cells[1].refused);
}

TEST(StateProfileTest, WithoutACellThatRanNothingIsSaidToHaveBeenChecked) {
  ProfileOptions options = small_profile();
  options.memory_limit = 1'024;
  const StateProfile profile = run_profile(options);
  for (const ProfileCell& cell : profile.cells) {
    if (!cell.predicted) continue;
    EXPECT_THAT(*cell.refused, HasSubstr("more than --memory allows (1.0 KiB)"));
    EXPECT_THAT(*cell.refused, Not(HasSubstr(" 0")));
  }
  const std::string text = profile_text(profile, {}, {});
  EXPECT_THAT(text, HasSubstr("check    nothing: no cell was run"));
  EXPECT_THAT(text, Not(HasSubstr("same checksum")));
}

TEST(StateProfileTest, AutoSaysWhatItBecame) {
  ProfileOptions options = small_profile();
  options.slides = {6'000};
  options.keys = {10};
  options.strategies = {Strategy::kAuto};
  options.repeats = 1;
  const StateProfile profile = run_profile(options);
  EXPECT_EQ(profile.cells[0].figures->ran, Strategy::kSubtract);
  EXPECT_THAT(profile_text(profile, {}, {}), HasSubstr("= subtract"));
}

ProfileCell planted(std::int64_t slide, Strategy strategy, std::uint64_t checksum) {
  ProfileCell cell;
  cell.slide = slide;
  cell.keys = 5;
  cell.strategy = strategy;
  cell.rows_per_slide = 10;
  cell.figures.emplace();
  cell.figures->results = 100;
  cell.figures->checksum = checksum;
  return cell;
}

TEST(CheckCellsTest, AnotherChecksumInACellIsWrong) {
  const std::vector<ProfileCell> cells = {
      planted(1'000, Strategy::kBuckets, 7), planted(1'000, Strategy::kSubtract, 7),
      planted(2'000, Strategy::kBuckets, 8), planted(2'000, Strategy::kRecompute, 8),
      planted(2'000, Strategy::kSubtract, 9)};
  const ProfileChecks checks = check_cells(cells, true);
  EXPECT_FALSE(checks.right());
  EXPECT_THAT(checks.disagreeing,
              testing::ElementsAre(
                  "slide 2s, 5 keys: buckets has 100 results with checksum 0x0000000000000008, but "
                  "subtract has 100 with 0x0000000000000009"));
  EXPECT_TRUE(check_cells({cells.begin(), cells.begin() + 4}, true).right());
}

TEST(CheckCellsTest, WhereLastBitsMayDifferOnlyNumbersOfResultsCount) {
  std::vector<ProfileCell> cells = {planted(1'000, Strategy::kBuckets, 7),
                                    planted(1'000, Strategy::kSubtract, 8)};
  EXPECT_TRUE(check_cells(cells, false).right());
  cells[1].figures->results = 99;
  EXPECT_FALSE(check_cells(cells, false).right());
}

TEST(CheckCellsTest, AJobWithOtherResultsThanItsStageIsWrong) {
  std::vector<ProfileCell> cells = {planted(1'000, Strategy::kBuckets, 7)};
  cells[0].job = JobFigures{1e6, 100, 7};
  EXPECT_TRUE(check_cells(cells, true).right());
  cells[0].job->checksum = 8;
  EXPECT_THAT(check_cells(cells, true).disagreeing,
              testing::ElementsAre(HasSubstr("slide 1s, 5 keys, buckets: the whole job has")));
}

TEST(StateProfileTest, TheWholeJobHasTheResultsOfTheStage) {
  ProfileOptions options = small_profile();
  options.slides = {6'000};
  options.keys = {10};
  options.repeats = 1;
  options.cores = 2;
  options.stream.disorder = 900;
  const StateProfile profile = run_profile(options);
  EXPECT_TRUE(profile.checks.right());
  for (const ProfileCell& cell : profile.cells) {
    EXPECT_EQ(cell.job->checksum, cell.figures->checksum);
    EXPECT_GT(cell.job->rows_per_second, 0);
  }
}

TEST(CheckCellsTest, RefusedCellsAreLeftOut) {
  std::vector<ProfileCell> cells = {planted(1'000, Strategy::kBuckets, 7),
                                    planted(1'000, Strategy::kSubtract, 8)};
  cells[1].figures.reset();
  EXPECT_TRUE(check_cells(cells, true).right());
}

TEST(PredictionErrorTest, IsRelativeToWhatWasExpected) {
  EXPECT_DOUBLE_EQ(*prediction_error(110, 100), 0.1);
  EXPECT_DOUBLE_EQ(*prediction_error(0, 0), 0);
  EXPECT_FALSE(prediction_error(1, 0));
}

// Everything derived in the JSON follows from what is counted in it.
TEST(ProfileJsonTest, DerivedFiguresFollowFromCounters) {
  const json report = json::parse(profile_json(profiled(), {}, {}));
  EXPECT_EQ(report["schema"], "tidemark-profile/1");
  for (const json& cell : report["cells"]) {
    const json& measured = cell["measured"];
    const auto rows = measured["rows_on_time"].get<double>();
    const auto updates = measured["updates"].get<double>();
    const auto merges = measured["merges"].get<double>();
    EXPECT_DOUBLE_EQ(cell["updates_per_row"], updates / rows);
    EXPECT_DOUBLE_EQ(cell["merges_per_slide"], merges / measured["slides"].get<double>());
    EXPECT_DOUBLE_EQ(cell["work_per_row"], (updates + merges) / rows);
    EXPECT_EQ(cell["state_bytes"],
              cell["live_entries"].get<std::uint64_t>() * cell["entry_bytes"].get<std::uint64_t>());
    EXPECT_DOUBLE_EQ(cell["bytes_per_key"], (cell["allocated_bytes"].get<double>() +
                                             cell["key_table_bytes"].get<double>()) /
                                                cell["keys_held"].get<double>());
    const auto samples = cell["rows_per_second_samples"].get<std::vector<double>>();
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_DOUBLE_EQ(cell["rows_per_second"], (samples[0] + samples[1]) / 2);
    double shares = 0;
    for (const json& share : cell["time_share"]) shares += share.get<double>();
    EXPECT_NEAR(shares, 1, 1e-9);
    for (const char* figure : {"updates_per_row", "merges_per_slide", "live_entries", "state_bytes",
                               "allocated_bytes"}) {
      const json& predicted = cell["predicted"][figure];
      if (predicted.is_null() || predicted == 0) continue;
      EXPECT_NEAR(cell["error"][figure].get<double>(),
                  cell[figure].get<double>() / predicted.get<double>() - 1, 1e-12);
    }
    EXPECT_EQ(cell["top_keys"][0]["entries"], cell["entries_per_key"]["max"]);
  }
  for (const json& saving : report["savings"]) {
    const auto of = [&](const std::string& strategy) -> const json& {
      for (const json& cell : report["cells"]) {
        if (cell["slide_ms"] == saving["slide_ms"] && cell["keys"] == saving["keys"] &&
            cell["strategy"] == strategy) {
          return cell;
        }
      }
      throw std::logic_error("no such cell");
    };
    const json& buckets = of("buckets");
    const json& panes = of(saving["strategy"]);
    EXPECT_DOUBLE_EQ(saving["work"],
                     buckets["work_per_row"].get<double>() / panes["work_per_row"].get<double>());
    EXPECT_DOUBLE_EQ(saving["entries"],
                     buckets["live_entries"].get<double>() / panes["live_entries"].get<double>());
    EXPECT_DOUBLE_EQ(saving["allocated"], buckets["allocated_bytes"].get<double>() /
                                              panes["allocated_bytes"].get<double>());
  }
}

std::string shown(const json& number) {
  const auto value = number.get<double>();
  return value >= 1e4 ? short_count(value) : fmt::format("{:.4g}", value);
}
std::string shown_bytes(const json& bytes) {
  return bytes_text(static_cast<std::uint64_t>(std::llround(bytes.get<double>())));
}
std::string shown_time(const json& time) { return nanoseconds_text(time.get<double>()); }
std::string shown_percent(const json& share) {
  return fmt::format("{:.0f} %", 100 * share.get<double>());
}

// A prediction and its error, as the text puts them.
std::string beside(const json& cell, const char* figure, const std::string& predicted) {
  if (cell["predicted"][figure].is_null()) return "not predicted";
  return fmt::format("{} {:+.1f} %", predicted, 100 * cell["error"][figure].get<double>());
}

// Every run of spaces as one.
std::string without_padding(const std::string& text) {
  return std::regex_replace(text, std::regex(" +"), " ");
}

// Each line of the tables that a cell has, made from the JSON alone.
std::vector<std::string> lines_of_cell(const json& cell) {
  const auto strategy = cell["strategy"].get<std::string>();
  const json& firing = cell["firing_ns"];
  const json& share = cell["time_share"];
  const json& predicted = cell["predicted"];
  const bool has_model = !predicted["live_entries"].is_null();
  std::string keys;
  for (std::size_t i = 0; i < 3; ++i) {
    const json& key = cell["top_keys"][i];
    keys += fmt::format("{} key {} with {} ({})", i == 0 ? "" : ",", key["key"].get<std::string>(),
                        key["entries"].get<int>(), shown_bytes(key["state_bytes"]));
  }
  return {
      fmt::format("\n {} {} {} {} {} {} {} {} {}\n", strategy,
                  short_count(cell["rows_per_second"].get<double>()),
                  shown(cell["updates_per_row"]), shown(cell["merges_per_slide"]),
                  shown(cell["work_per_row"]), shown(cell["live_entries"]),
                  shown_bytes(cell["state_bytes"]), shown_bytes(cell["allocated_bytes"]),
                  shown(cell["bytes_per_key"])),
      fmt::format("\n {} {} {} {} {} {} {} {} {}", strategy, shown_time(firing["median"]),
                  shown_time(firing["p99"]), shown_time(firing["worst"]),
                  shown_percent(share["probe"]), shown_percent(share["update"]),
                  shown_percent(share["fire"]), shown_percent(share["evict"]),
                  shown_percent(share["other"])),
      fmt::format(
          "\n {} {} {} {} {} {}\n", strategy,
          beside(cell, "updates_per_row", shown(predicted["updates_per_row"])),
          beside(cell, "merges_per_slide", has_model ? shown(predicted["merges_per_slide"]) : ""),
          beside(cell, "live_entries", has_model ? shown(predicted["live_entries"]) : ""),
          beside(cell, "state_bytes", has_model ? shown_bytes(predicted["state_bytes"]) : ""),
          has_model ? fmt::format("{} x {:.3g}", shown_bytes(predicted["allocated_bytes"]),
                                  cell["allocated_bytes"].get<double>() /
                                      predicted["allocated_bytes"].get<double>())
                    : "not predicted"),
      fmt::format("\n {} {}{}\n", strategy, cell["entries_per_key"]["median"].get<int>(), keys)};
}

TEST(ProfileTextTest, EveryNumberFollowsFromTheJson) {
  const json report = json::parse(profile_json(profiled(), {}, {}));
  const std::string text = without_padding(profile_text(profiled(), {}, {}));
  for (const json& cell : report["cells"]) {
    const std::string place =
        fmt::format("\nslide {}, {} per window; {} keys, {:.3g} rows per key and slide\n",
                    format_duration(cell["slide_ms"].get<std::int64_t>()),
                    shown(60'000 / cell["slide_ms"].get<double>()), cell["keys"].get<int>(),
                    cell["rows_per_key_and_slide"].get<double>());
    const std::size_t begin = text.find(place);
    ASSERT_NE(begin, std::string::npos) << place;
    const std::string tables = text.substr(begin, text.find("\n\n", begin + 1) - begin);
    for (const std::string& line : lines_of_cell(cell)) EXPECT_THAT(tables + "\n", HasSubstr(line));
  }
  for (const json& saving : report["savings"]) {
    const std::string row =
        fmt::format("\n {} {} {:.3g} ", format_duration(saving["slide_ms"].get<std::int64_t>()),
                    saving["keys"].get<int>(), saving["rows_per_key_and_slide"].get<double>());
    const std::size_t begin = text.find(row);
    ASSERT_NE(begin, std::string::npos) << row;
    EXPECT_THAT(text.substr(begin, text.find('\n', begin + 1) - begin),
                HasSubstr(fmt::format(" {:.3g} / {:.3g}", saving["work"].get<double>(),
                                      saving["entries"].get<double>())));
  }
}

TEST(ProfileTextTest, AQuotaOfTheMachineIsNamed) {
  Machine machine{"a CPU", "a system", 2, 1.5, 2, workers_reason(2, 1.5)};
  EXPECT_THAT(profile_text(profiled(), machine, {}),
              HasSubstr("a system; a cgroup quota of 1.5 CPUs, 2 CPUs in the affinity mask\n"));
}

struct BadProfile {
  const char* name;
  void (*spoil)(ProfileOptions&);
  const char* message;
};
class ProfileRefusalTest : public testing::TestWithParam<BadProfile> {};

TEST_P(ProfileRefusalTest, InOneSentence) {
  ProfileOptions options = small_profile();
  GetParam().spoil(options);
  const auto valid = validate(options);
  ASSERT_FALSE(valid);
  EXPECT_THAT(valid.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Options, ProfileRefusalTest,
    testing::Values(
        BadProfile{"no_slide", [](ProfileOptions& o) { o.slides.clear(); }, "one slide"},
        BadProfile{"no_keys", [](ProfileOptions& o) { o.keys.clear(); }, "number of keys"},
        BadProfile{"no_strategy", [](ProfileOptions& o) { o.strategies.clear(); }, "one strategy"},
        BadProfile{"no_rows", [](ProfileOptions& o) { o.stream.rows = 0; }, "at least 1"},
        BadProfile{"no_repeat", [](ProfileOptions& o) { o.repeats = 0; }, "1 repeat"},
        BadProfile{"no_aggregate", [](ProfileOptions& o) { o.aggregates.clear(); }, "aggregate"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tidemark
