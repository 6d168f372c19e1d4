// What a stream is expected to be like, told in words.
#include "tidemark/connectors/stream_expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(StreamExpectation, IsToldByKeysRateAndSkew) {
  const auto shape = parse_stream_shape("keys=10k&rate=5000/s&skew=zipf:1.1");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_EQ(shape->keys, 10'000U);
  EXPECT_EQ(shape->rows_per_second, 5000);
  EXPECT_EQ(shape->spread, KeySpread::kZipf);
  EXPECT_EQ(shape->parameter, 1.1);
}

TEST(StreamExpectation, TakesWhatIsNotToldAsGeneratedStreamsHaveIt) {
  const auto shape = parse_stream_shape("keys=7");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_EQ(shape->keys, 7U);
  EXPECT_EQ(shape->rows_per_second, 10'000);
  EXPECT_EQ(shape->spread, KeySpread::kUniform);
}

TEST(StreamExpectation, RefusesWhatSaysNothingAboutCost) {
  struct Example {
    const char* text;
    const char* message;
  };
  for (const Example& example :
       {Example{"rows=5", "not by \"rows\""}, Example{"keys=2&seed=1", "not by \"seed\""},
        Example{"keys=0", "keys"}, Example{"rate=0", "rate"}, Example{"skew=steep", "skew"}}) {
    const auto shape = parse_stream_shape(example.text);
    ASSERT_FALSE(shape) << example.text;
    EXPECT_THAT(shape.error().message, testing::HasSubstr(example.message));
  }
}

}  // namespace
}  // namespace tidemark
