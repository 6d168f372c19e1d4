#include "tidemark/runtime/cpu_allowance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tidemark {
namespace {

namespace fs = std::filesystem;

TEST(ParseCpuMax, ReadsQuotaAndPeriod) {
  struct Case {
    std::string text;
    std::optional<double> quota;
  };
  const std::vector<Case> cases{
      {"150000 100000", 1.5},      {"150000 100000\n", 1.5},    {"50000 100000\n", 0.5},
      {"400000 100000\n", 4.0},    {"20000 50000", 0.4},        {"max 100000\n", std::nullopt},
      {"", std::nullopt},          {"100000", std::nullopt},    {"100000 0", std::nullopt},
      {"junk junk", std::nullopt}, {"-1 100000", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(parse_cpu_max(c.text), c.quota) << c.text;
}

TEST(QuotaFromV1, MinusOneIsNoLimit) {
  EXPECT_EQ(quota_from_v1(-1, 100'000), std::nullopt);
  EXPECT_EQ(quota_from_v1(250'000, 100'000), 2.5);
  EXPECT_EQ(quota_from_v1(100'000, 0), std::nullopt);
}

TEST(DefaultWorkers, QuotaRoundedUpNeverAboveTheMask) {
  struct Case {
    std::size_t mask_cpus;
    std::string cpu_max;
    std::size_t workers;
  };
  const std::vector<Case> cases{
      {8, "150000 100000", 2}, {8, "50000 100000", 1},  {8, "max 100000", 8},
      {8, "400000 100000", 4}, {2, "400000 100000", 2}, {1, "max 100000", 1},
      {8, "800000 100000", 8}, {8, "799999 100000", 8}, {8, "1000 100000", 1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(default_workers(c.mask_cpus, parse_cpu_max(c.cpu_max)), c.workers)
        << c.mask_cpus << " CPUs, " << c.cpu_max;
  }
  EXPECT_EQ(default_workers(8, quota_from_v1(-1, 100'000)), 8U);
  EXPECT_EQ(default_workers(0, std::nullopt), 1U);
}

TEST(WorkersReason, NamesEveryQuotaBelowTheMask) {
  EXPECT_EQ(workers_reason(1, std::nullopt), "1 CPU in the affinity mask");
  EXPECT_EQ(workers_reason(2, 2.0), "2 CPUs in the affinity mask");
  EXPECT_EQ(workers_reason(2, 4.0), "2 CPUs in the affinity mask");
  EXPECT_EQ(workers_reason(2, 1.5), "a cgroup quota of 1.5 CPUs, 2 CPUs in the affinity mask");
  EXPECT_EQ(workers_reason(8, 1.5), "a cgroup quota of 1.5 CPUs, 8 CPUs in the affinity mask");
}

// A root directory with made-up proc and cgroup files.
class CgroupQuota : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("cgroup_quota_" + std::to_string(getpid()) +
             testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

constexpr auto kV2Mount =
    "22 1 0:20 / /proc rw - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(CgroupQuota, NoFilesIsNoLimit) { EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt); }

TEST_F(CgroupQuota, TightestLimitOnTheWayToTheRootCounts) {
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/jobs.slice/batch/one\n");
  write("sys/fs/cgroup/jobs.slice/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/jobs.slice/batch/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/jobs.slice/batch/one/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/other/cpu.max", "10000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 1.5);
}

TEST_F(CgroupQuota, ThrottlingIsThatOfAllCgroupsOnTheWay) {
  EXPECT_EQ(cgroup_cpu_throttling(root_), std::nullopt);
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/jobs.slice/one\n");
  write("sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
  EXPECT_EQ(cgroup_cpu_throttling(root_), std::nullopt);
  write("sys/fs/cgroup/jobs.slice/cpu.stat",
        "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 250\nnr_bursts 0\n");
  write("sys/fs/cgroup/jobs.slice/one/cpu.stat", "nr_throttled 4\nthrottled_usec 1000\n");
  const auto throttling = cgroup_cpu_throttling(root_);
  ASSERT_TRUE(throttling);
  EXPECT_EQ(throttling->times, 7U);
  EXPECT_EQ(throttling->time, std::chrono::microseconds(1'250));
}

TEST_F(CgroupQuota, VersionOneCountsThrottledTimeInNanoseconds) {
  write("proc/self/mountinfo",
        "32 23 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("proc/self/cgroup", "4:cpu,cpuacct:/one\n");
  write("sys/fs/cgroup/cpu/one/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 77\n");
  const auto throttling = cgroup_cpu_throttling(root_);
  ASSERT_TRUE(throttling);
  EXPECT_EQ(throttling->times, 2U);
  EXPECT_EQ(throttling->time, std::chrono::nanoseconds(77));
}

TEST_F(CgroupQuota, RootOfANamespaceHasALimitOfItsOwn) {
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 0.5);
}

TEST_F(CgroupQuota, CgroupOutsideTheMountFallsBackToTheMount) {
  write("proc/self/mountinfo", "30 23 0:26 /../jobs /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/../../elsewhere\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 2.0);
}

constexpr auto kV1Mounts =
    "31 23 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "32 23 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

TEST_F(CgroupQuota, VersionOneReadsTheCpuControllerBelowTheMountedCgroup) {
  write("proc/self/mountinfo", kV1Mounts);
  write("proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/docker/abc/inner\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 2.5);
}

TEST_F(CgroupQuota, VersionOneMinusOneIsNoLimit) {
  write("proc/self/mountinfo", kV1Mounts);
  write("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt);
}

TEST(CpuAllowance, AgreesWithTheAffinityMaskOfThisProcess) {
  const CpuAllowance allowance = cpu_allowance();
  ASSERT_FALSE(allowance.cpus.empty());
  EXPECT_TRUE(std::ranges::is_sorted(allowance.cpus));
  EXPECT_EQ(allowance.workers, default_workers(allowance.cpus.size(), allowance.quota));
  EXPECT_THAT(allowance.reason, testing::HasSubstr("in the affinity mask"));
}

TEST(CpuAllowance, FollowsANarrowerMask) {
  const int cpu = cpu_allowance().cpus.back();
  CpuAllowance narrow;
  std::thread pinned([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
    narrow = cpu_allowance();
  });
  pinned.join();
  EXPECT_THAT(narrow.cpus, testing::ElementsAre(cpu));
  EXPECT_EQ(narrow.workers, 1U);
  EXPECT_EQ(narrow.reason, "1 CPU in the affinity mask");
}

}  // namespace
}  // namespace tidemark
