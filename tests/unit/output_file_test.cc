#include "tidemark/connectors/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tidemark {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "out.csv").string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_ = fs::temp_directory_path() / ("output_file_test_" + std::to_string(::getpid()));
};

TEST_F(OutputFileTest, HoldsWhatWasWrittenOnceClosed) {
  auto file = OutputFile::open(path());
  ASSERT_TRUE(file.has_value());
  (*file)->buffer().append(std::string_view("hello\n"));
  (*file)->close();
  EXPECT_EQ(text_of("out.csv"), "hello\n");
}

TEST_F(OutputFileTest, AFileThatWasNotClosedDoesNotKeepItsName) {
  {
    auto file = OutputFile::open(path());
    ASSERT_TRUE(file.has_value());
    (*file)->buffer().append(std::string_view("half\n"));
    (*file)->flush();
  }
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_EQ(text_of("out.csv.incomplete"), "half\n");
}

TEST_F(OutputFileTest, AFileThatWasNeverWrittenGoesAway) {
  { const auto file = OutputFile::open(path()); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFileTest, AFullDiskIsAnErrorWithPathAndReason) {
  auto file = OutputFile::open("/dev/full");
  ASSERT_TRUE(file.has_value());
  (*file)->buffer().append(std::string_view("hello\n"));
  try {
    (*file)->flush();
    FAIL() << "writing to a full disk went well";
  } catch (const BrokenPipe&) {
    FAIL() << "a full disk is no broken pipe";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST_F(OutputFileTest, APathThatCannotBeOpenedIsRefused) {
  const auto file = OutputFile::open((folder_ / "no" / "such" / "folder").string());
  ASSERT_FALSE(file.has_value());
  EXPECT_THAT(file.error().message, testing::HasSubstr("No such file or directory"));
}

TEST_F(OutputFileTest, AReaderThatWentAwayIsABrokenPipe) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto file = OutputFile::open("/proc/self/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE((*file)->is_watched());
  ::close(ends[0]);
  ::close(ends[1]);
  (*file)->buffer().append(std::string_view("hello\n"));
  EXPECT_THROW((*file)->flush(), BrokenPipe);
}

}  // namespace
}  // namespace tidemark
