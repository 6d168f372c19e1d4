#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/test_rows.h"
#include "tidemark/connectors/event_time_text.h"
#include "tidemark/connectors/generated_records.h"
#include "tidemark/connectors/order_source.h"
#include "tidemark/connectors/quantity.h"

namespace tidemark {
namespace {

using test_support::Row;

const Schema kAllColumns{{"order_id", ColumnType::kInt64}, {"user_id", ColumnType::kInt64},
                         {"amount", ColumnType::kDouble},  {"cents", ColumnType::kInt64},
                         {"ts", ColumnType::kInt64},       {"country", ColumnType::kString}};
const std::vector<OrderColumn> kAllOrderColumns{OrderColumn::kOrderId, OrderColumn::kUserId,
                                                OrderColumn::kAmount,  OrderColumn::kCents,
                                                OrderColumn::kTime,    OrderColumn::kCountry};

std::vector<Row> rows_of(const OrderSourceConfig& config, std::uint64_t shard, std::uint64_t shards,
                         std::size_t batch_rows) {
  std::vector<OrderValue> columns;
  for (const OrderColumn column : kAllOrderColumns) columns.push_back({column});
  OrderPartition partition(config, columns, shard, shards);
  Batch batch(kAllColumns, batch_rows);
  std::vector<Row> rows;
  while (partition.poll(batch) == PollStatus::kRows) {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      rows.push_back(test_support::row_at(batch, row));
    }
    batch.clear();
  }
  return rows;
}

std::vector<std::string> lines_of(const std::vector<Row>& rows) {
  std::vector<std::string> lines;
  for (const Row& row : rows) lines.push_back(test_support::to_text(row));
  return lines;
}

OrderSourceConfig parsed(const std::string& text) {
  const auto config = parse_order_source(text);
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config.value_or(OrderSourceConfig{});
}

std::vector<std::string> text_lines(const std::string& kind, const GeneratorParameters& parameters,
                                    RecordFormat format) {
  const auto records = make_generated_records(kind, parameters);
  EXPECT_TRUE(records.has_value());
  fmt::memory_buffer out;
  RecordText text(format, (*records)->names(), out);
  text.header();
  for (std::uint64_t row = 0; row < parameters.rows; ++row) (*records)->append(row, text);
  std::vector<std::string> lines;
  std::istringstream stream(fmt::to_string(out));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(OrderSourceTest, TheSameParametersGiveTheSameRowsWhateverTheShardsAndBatches) {
  const OrderSourceConfig config =
      parsed("orders?rows=5000&keys=50&rate=777&disorder=3s&skew=zipf:1.1&seed=9");
  const std::vector<std::string> whole = lines_of(rows_of(config, 0, 1, 1024));
  ASSERT_EQ(whole.size(), 5000U);
  for (const std::uint64_t shards : {1U, 2U, 3U, 7U}) {
    std::vector<std::string> joined(whole.size());
    for (std::uint64_t shard = 0; shard < shards; ++shard) {
      const std::vector<std::string> part = lines_of(rows_of(config, shard, shards, 100 + shard));
      for (std::size_t i = 0; i < part.size(); ++i) joined.at(shard + i * shards) = part[i];
    }
    EXPECT_EQ(joined, whole) << shards << " shards";
  }
}

TEST(OrderSourceTest, AnotherSeedGivesOtherRows) {
  const auto one = lines_of(rows_of(parsed("orders?rows=100&seed=1"), 0, 1, 1024));
  auto two = lines_of(rows_of(parsed("orders?rows=100&seed=0"), 0, 1, 1024));
  EXPECT_NE(one, two);
  // Near seeds must not be the same rows in another order.
  auto users = [](const std::string& seed) {
    std::vector<std::int64_t> keys;
    for (const Row& row : rows_of(parsed("orders?rows=100&keys=1M&seed=" + seed), 0, 1, 1024)) {
      keys.push_back(std::get<std::int64_t>(row.cells[1]));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  EXPECT_NE(users("0"), users("1"));
}

TEST(OrderSourceTest, RowsMatchTheGeneratedText) {
  GeneratorParameters parameters;
  ASSERT_TRUE(parameters.set_all("rows=200&keys=20&disorder=1s&skew=hot:0.3").has_value());
  const std::vector<std::string> lines = text_lines("orders", parameters, RecordFormat::kCsv);
  ASSERT_EQ(lines.size(), 201U);
  EXPECT_EQ(lines[0], "order_id,user_id,amount,ts,country");
  const std::vector<Row> rows = rows_of({parameters.orders(), false}, 0, 1, 64);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& cells = rows[i].cells;
    EXPECT_EQ(lines[i + 1],
              fmt::format("{},{},{:.2f},{},{}", std::get<std::int64_t>(cells[0]),
                          std::get<std::int64_t>(cells[1]), std::get<double>(cells[2]),
                          rows[i].time, std::get<std::string>(cells[5])));
    EXPECT_EQ(std::get<std::int64_t>(cells[4]), rows[i].time);
    EXPECT_EQ(std::llround(std::get<double>(cells[2]) * 100), std::get<std::int64_t>(cells[3]));
  }
}

TEST(OrderSourceTest, TimesRiseByTheRateWithoutDisorder) {
  const std::vector<Row> rows =
      rows_of(parsed("orders?rows=10&rate=3&start=1970-01-01T00:00:10Z"), 0, 1, 4);
  std::vector<EventTime> times;
  for (const Row& row : rows) times.push_back(row.time);
  EXPECT_THAT(times, testing::ElementsAre(10000, 10333, 10666, 11000, 11333, 11666, 12000, 12333,
                                          12666, 13000));
}

TEST(OrderSourceTest, DisorderStaysWithinItsBoundAndIsReal) {
  constexpr std::int64_t kDisorder = 2000;
  const std::vector<Row> rows = rows_of(parsed("orders?rows=20000&disorder=2s"), 0, 1, 1024);
  EventTime highest = kNoWatermark;
  std::int64_t most_behind = 0;
  for (const Row& row : rows) {
    highest = std::max(highest, row.time);
    most_behind = std::max(most_behind, highest - row.time);
  }
  EXPECT_LE(most_behind, kDisorder);
  EXPECT_GT(most_behind, kDisorder / 2);
}

std::map<std::int64_t, double> key_shares(const std::string& parameters) {
  std::map<std::int64_t, double> shares;
  const std::vector<Row> rows = rows_of(parsed("orders?rows=200000&" + parameters), 0, 1, 1024);
  for (const Row& row : rows) {
    shares[std::get<std::int64_t>(row.cells[1])] += 1.0 / static_cast<double>(rows.size());
  }
  return shares;
}

TEST(KeySamplerTest, UniformKeysAreEven) {
  const auto shares = key_shares("keys=100");
  ASSERT_EQ(shares.size(), 100U);
  for (const auto& [key, share] : shares) EXPECT_NEAR(share, 0.01, 0.0015) << key;
}

TEST(KeySamplerTest, AHotKeyTakesItsFraction) {
  const auto shares = key_shares("keys=51&skew=hot:0.5");
  ASSERT_EQ(shares.size(), 51U);
  EXPECT_NEAR(shares.at(0), 0.5, 0.01);
  for (std::int64_t key = 1; key <= 50; ++key) EXPECT_NEAR(shares.at(key), 0.01, 0.002);
}

TEST(KeySamplerTest, ZipfFollowsItsLaw) {
  for (const double exponent : {0.5, 1.0, 1.1, 2.0}) {
    const auto shares = key_shares("keys=1000&skew=zipf:" + std::to_string(exponent));
    double weight = 0;
    for (int rank = 1; rank <= 1000; ++rank) weight += std::pow(rank, -exponent);
    for (const int rank : {1, 2, 3, 10}) {
      const double expected = std::pow(rank, -exponent) / weight;
      EXPECT_NEAR(shares.at(rank - 1), expected, 4 * std::sqrt(expected / 200000))
          << "exponent " << exponent << ", rank " << rank;
    }
    EXPECT_GE(shares.begin()->first, 0);
    EXPECT_LT(shares.rbegin()->first, 1000);
  }
}

TEST(KeySamplerTest, OneKeyIsAlwaysKeyZero) {
  for (const char* skew : {"uniform", "zipf:1.1", "hot:0.5"}) {
    EXPECT_EQ(key_shares(std::string("keys=1&skew=") + skew).size(), 1U);
  }
}

TEST(GeneratorParametersTest, WrongValuesAreRefusedByName) {
  struct Example {
    std::string text;
    std::string message;
  };
  const std::vector<Example> examples{
      {"orders?rows=many", "rows must be a whole number such as 250000 or 20M, not \"many\""},
      {"orders?keys=0", "keys must be at least 1, not 0"},
      {"orders?rate=0", "rate must be a rate such as 500000/s or 2M/s, not \"0\""},
      {"orders?skew=zipf:0", "not \"zipf:0\""},
      {"orders?skew=hot:2", "not \"hot:2\""},
      {"orders?disorder=-5s", "disorder must not be negative"},
      {"orders?start=soon", "start must be a time"},
      {"orders?users=5", "there is no generator parameter \"users\""},
      {"orders?rows=9000000000000000&rate=1", "leave the years 1 to 9999"},
      {"bids", "\"bids\" cannot be generated as an input"},
  };
  for (const Example& example : examples) {
    const auto config = parse_order_source(example.text);
    ASSERT_FALSE(config.has_value()) << example.text;
    EXPECT_THAT(config.error().message, testing::HasSubstr(example.message));
  }
}

TEST(QuantityTest, ReadsCountsAndRates) {
  EXPECT_EQ(parse_count("250000", "rows").value(), 250'000U);
  EXPECT_EQ(parse_count("20M", "rows").value(), 20'000'000U);
  EXPECT_EQ(parse_rate("500000/s", "rate").value(), 500'000U);
  EXPECT_EQ(parse_rate("2M/s", "rate").value(), 2'000'000U);
  EXPECT_EQ(parse_rate("10k", "rate").value(), 10'000U);
  for (const char* text : {"", "-1", "1.5", "5x", "99999999999G", "1 M"}) {
    EXPECT_FALSE(parse_count(text, "rows").has_value()) << text;
  }
}

TEST(NexmarkBidsTest, FollowTheBenchmarksProportions) {
  GeneratorParameters parameters;
  parameters.rows = 46'000;
  const auto lines = text_lines("nexmark-bid", parameters, RecordFormat::kNdjson);
  ASSERT_EQ(lines.size(), parameters.rows);
  auto parser = EventTimeParser::create({TimeUnit::kText, "", "UTC"});
  ASSERT_TRUE(parser.has_value());
  double hot_auctions = 0;
  double hot_bidders = 0;
  double hot_channels = 0;
  double extra_bytes = 0;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const nlohmann::json bid = nlohmann::json::parse(lines[row]);
    const std::uint64_t epoch = row / 46;
    const auto auction = bid.at("auction").get<std::uint64_t>();
    const auto bidder = bid.at("bidder").get<std::uint64_t>();
    ASSERT_LE(auction, 1000 + epoch * 3 + 2 + 10);
    ASSERT_GE(auction + 100, 1000 + std::min<std::uint64_t>(epoch * 3 + 2, 100));
    hot_auctions += auction == 1000 + (epoch * 3 + 2) / 100 * 100 ? 1 : 0;
    hot_bidders += bidder == 1001 + epoch / 100 * 100 ? 1 : 0;
    hot_channels += bid.at("channel").get<std::string>().starts_with("channel-") ? 0 : 1;
    extra_bytes += static_cast<double>(bid.at("extra").get<std::string>().size());
    const auto price = bid.at("price").get<std::int64_t>();
    ASSERT_GE(price, 100);
    ASSERT_LE(price, 100'000'000);
    const std::uint64_t event = epoch * 50 + 4 + row % 46;
    ASSERT_EQ(parser->parse(bid.at("date_time").get<std::string>()),
              kDefaultGeneratorStart + static_cast<std::int64_t>(event / 10));
  }
  const auto rows = static_cast<double>(lines.size());
  EXPECT_NEAR(hot_auctions / rows, 0.5, 0.03);
  EXPECT_NEAR(hot_bidders / rows, 0.75, 0.03);
  EXPECT_NEAR(hot_channels / rows, 0.5, 0.03);
  EXPECT_NEAR(extra_bytes / rows, 68, 1);
}

TEST(YsbEventsTest, EachAdBelongsToOneOfAHundredCampaigns) {
  GeneratorParameters parameters;
  parameters.rows = 20'000;
  const auto lines = text_lines("ysb", parameters, RecordFormat::kNdjson);
  std::map<std::string, std::string> campaign_of_ad;
  std::map<std::string, int> campaigns;
  std::map<std::string, int> event_types;
  for (const std::string& line : lines) {
    const nlohmann::json event = nlohmann::json::parse(line);
    const std::string campaign = event.at("campaign_id");
    const auto [entry, added] = campaign_of_ad.emplace(event.at("ad_id"), campaign);
    EXPECT_EQ(entry->second, campaign);
    ++campaigns[campaign];
    ++event_types[event.at("event_type")];
  }
  EXPECT_EQ(campaigns.size(), 100U);
  EXPECT_EQ(campaign_of_ad.size(), 1000U);
  ASSERT_EQ(event_types.size(), 3U);
  EXPECT_NEAR(event_types["view"], 20'000 / 3.0, 400);
}

}  // namespace
}  // namespace tidemark
