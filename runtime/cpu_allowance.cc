#include "tidemark/runtime/cpu_allowance.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>

#include "tidemark/runtime/cpu_set.h"

namespace tidemark {

namespace {

namespace fs = std::filesystem;

// The kernel refuses a mask smaller than its own with EINVAL, and does not tell how large that is.
std::vector<int> affinity_cpus() {
  constexpr std::size_t kMostCpus = std::size_t{1} << 20;
  for (std::size_t count = CPU_SETSIZE; count <= kMostCpus; count *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    const CpuSet set(CPU_ALLOC(count));
    if (!set) break;
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) == 0) {
      std::vector<int> cpus;
      for (std::size_t cpu = 0; cpu < count; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
      }
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string>& parts, std::string_view wanted) {
  return std::ranges::find(parts, wanted) != parts.end();
}

std::optional<long long> to_number(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return std::nullopt;
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// A cgroup file system: where it is mounted, and which cgroup of its hierarchy is seen there.
struct Mount {
  fs::path point;
  std::string root;
};

// Lines of mountinfo: id parent device root point options [optional...] - type source superoptions
std::optional<Mount> find_mount(const std::string& mountinfo, std::string_view type,
                                std::string_view super_option) {
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4 || dash[1] != type) continue;
    if (!super_option.empty() && !contains(split(dash[3], ','), super_option)) continue;
    return Mount{fields[4], fields[3]};
  }
  return std::nullopt;
}

// Lines of /proc/self/cgroup: id:controllers:path; version 2 has the line 0::path.
std::optional<std::string> find_cgroup(const std::string& cgroups, std::string_view controller) {
  for (const std::string& line : split(cgroups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool matches =
        controller.empty() ? controllers.empty() : contains(split(controllers, ','), controller);
    if (matches) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The directory of `cgroup` below the mount, relative to it. A container may see a cgroup path of
// the host; what it has mounted as the root is then its own cgroup.
fs::path below_mount(const Mount& mount, const std::string& cgroup) {
  fs::path relative = fs::path(cgroup).lexically_relative(mount.root);
  if (relative.empty() || *relative.begin() == "..") relative = ".";
  return relative;
}

std::optional<double> tighter(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// A cgroup gets no more than any of its ancestors, so all directories up to the mount count. Calls
// visit(directory) for each of them, of the cgroup that `controller` puts this process in.
template <typename Visit>
void visit_upwards(const fs::path& root, std::string_view type, std::string_view controller,
                   Visit visit) {
  const std::optional<Mount> mount =
      find_mount(read_text(root / "proc/self/mountinfo"), type, controller);
  const std::optional<std::string> cgroup =
      find_cgroup(read_text(root / "proc/self/cgroup"), controller);
  if (!mount || !cgroup) return;
  const fs::path point = root / mount->point.relative_path();
  visit(point);
  for (fs::path relative = below_mount(*mount, *cgroup).lexically_normal();
       !relative.empty() && relative != "."; relative = relative.parent_path()) {
    visit(point / relative);
  }
}

std::optional<double> v2_limit(const fs::path& directory) {
  return parse_cpu_max(read_text(directory / "cpu.max"));
}

std::optional<double> v1_limit(const fs::path& directory) {
  const std::optional<long long> quota = to_number(read_text(directory / "cpu.cfs_quota_us"));
  const std::optional<long long> period = to_number(read_text(directory / "cpu.cfs_period_us"));
  return quota && period ? quota_from_v1(*quota, *period) : std::nullopt;
}

// Lines of cpu.stat: a name, a space and a number.
std::optional<long long> stat_of(const std::string& text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(' ')) {
      return to_number(std::string_view(line).substr(name.size()));
    }
  }
  return std::nullopt;
}

std::string plural_cpus(std::size_t count) {
  return fmt::format("{} CPU{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> quota;
  visit_upwards(root, "cgroup2", "",
                [&](const fs::path& directory) { quota = tighter(quota, v2_limit(directory)); });
  visit_upwards(root, "cgroup", "cpu",
                [&](const fs::path& directory) { quota = tighter(quota, v1_limit(directory)); });
  return quota;
}

std::optional<CpuThrottling> cgroup_cpu_throttling(const fs::path& root) {
  std::optional<CpuThrottling> throttling;
  // Version 1 counts nanoseconds, version 2 microseconds.
  const auto add = [&](const fs::path& directory, std::string_view name, long long unit) {
    const std::string text = read_text(directory / "cpu.stat");
    const std::optional<long long> times = stat_of(text, "nr_throttled");
    const std::optional<long long> time = stat_of(text, name);
    if (!times || !time) return;
    if (!throttling) throttling.emplace();
    throttling->times += static_cast<std::uint64_t>(*times);
    throttling->time += std::chrono::nanoseconds(*time * unit);
  };
  visit_upwards(root, "cgroup2", "",
                [&](const fs::path& directory) { add(directory, "throttled_usec", 1'000); });
  visit_upwards(root, "cgroup", "cpu",
                [&](const fs::path& directory) { add(directory, "throttled_time", 1); });
  return throttling;
}

std::string workers_reason(std::size_t mask_cpus, std::optional<double> quota,
                           std::string_view where) {
  const std::string cpus = fmt::format("{} {}", plural_cpus(mask_cpus), where);
  if (!quota || *quota >= static_cast<double>(mask_cpus)) return cpus;
  return fmt::format("a cgroup quota of {:g} CPUs, {}", *quota, cpus);
}

CpuAllowance cpu_allowance() {
  CpuAllowance allowance;
  allowance.cpus = affinity_cpus();
  allowance.quota = cgroup_cpu_quota();
  // Without a readable mask the number of CPUs of the machine has to do.
  const std::size_t mask_cpus =
      allowance.cpus.empty() ? std::thread::hardware_concurrency() : allowance.cpus.size();
  allowance.workers = default_workers(mask_cpus, allowance.quota);
  allowance.reason = allowance.cpus.empty()
                         ? workers_reason(mask_cpus, allowance.quota, "in the machine")
                         : workers_reason(mask_cpus, allowance.quota);
  return allowance;
}

std::size_t default_workers(std::size_t mask_cpus, std::optional<double> quota) {
  const std::size_t most = std::max<std::size_t>(mask_cpus, 1);
  if (!quota || *quota >= static_cast<double>(most)) return most;
  return std::max<std::size_t>(static_cast<std::size_t>(std::ceil(std::max(*quota, 0.0))), 1);
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  // "max" is not a number either.
  const std::optional<long long> quota = to_number(text.substr(0, space));
  const std::optional<long long> period = to_number(text.substr(space + 1));
  return quota && period ? quota_from_v1(*quota, *period) : std::nullopt;
}

std::optional<double> quota_from_v1(long long quota_us, long long period_us) {
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  return static_cast<double>(quota_us) / static_cast<double>(period_us);
}

}  // namespace tidemark
