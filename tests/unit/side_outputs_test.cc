#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "support/test_rows.h"
#include "tidemark/connectors/bad_output.h"
#include "tidemark/connectors/late_output.h"

namespace tidemark {
namespace {

using test_support::append_row;
using test_support::Cell;
using test_support::kNull;

class SideOutputsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto file = OutputFile::open(path_);
    ASSERT_TRUE(file.has_value());
    file_ = *std::move(file);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string text() {
    file_->close();
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("side_outputs_test_" + std::to_string(::getpid())))
          .string();
  std::unique_ptr<OutputFile> file_;
};

TEST_F(SideOutputsTest, ALateRowIsWrittenAsReadWithItsLateness) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kString}};
  query.carried = {{"raw", ColumnType::kString}};
  Batch batch(query.row_schema());
  append_row(batch, {5, {Cell("x"), Cell("5,\"a,\"\"b\"\r\n")}});
  append_row(batch, {9, {Cell("y"), Cell("9,y")}});
  const auto late = LateOutput::of_text(query, "ts,k", *file_);
  late->accept(batch, 0, 20);
  late->accept(batch, 1, 12);
  late->finish();
  EXPECT_EQ(text(),
            "ts,k,reason\n"
            "5,\"a,\"\"b\",late: 15 ms behind the watermark\n"
            "9,y,late: 3 ms behind the watermark\n");
}

TEST_F(SideOutputsTest, LateRowsWithoutTextAreWrittenByTheirColumns) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kDouble}};
  Batch batch(query.row_schema());
  append_row(batch, {5, {Cell(std::int64_t{7}), kNull}});
  append_row(batch, {6, {kNull, Cell(1.5)}});
  const auto late = LateOutput::of_columns(query, *file_);
  late->accept(batch, 0, 9);
  late->accept(batch, 1, 9);
  late->finish();
  EXPECT_EQ(text(),
            "event_time,k,v,reason\n"
            "5,7,,late: 4 ms behind the watermark\n"
            "6,,1.5,late: 3 ms behind the watermark\n");
}

TEST_F(SideOutputsTest, ABadRowIsWrittenWithLineReasonAndText) {
  BadOutput bad(*file_);
  bad.accept({3, "column v: \"x,y\" is not a number", "1,\"x,y\""});
  bad.accept({7, "too short", "1"});
  bad.finish();
  EXPECT_EQ(text(),
            "line,reason,text\n"
            "3,\"column v: \"\"x,y\"\" is not a number\",\"1,\"\"x,y\"\"\"\n"
            "7,too short,1\n");
}

}  // namespace
}  // namespace tidemark
