#include "tidemark/perf/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>

namespace tidemark {

namespace {

std::string system_name() {
  struct utsname name {};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

}  // namespace

std::string cpu_model_of(std::string_view cpuinfo) {
  for (const std::string_view label : {"model name", "Model", "CPU part"}) {
    std::size_t at = 0;
    while ((at = cpuinfo.find(label, at)) != std::string_view::npos) {
      const std::string_view line = cpuinfo.substr(at, cpuinfo.find('\n', at) - at);
      const std::size_t colon = line.find(':');
      const bool begins_line = at == 0 || cpuinfo[at - 1] == '\n';
      if (begins_line && colon != std::string_view::npos) {
        const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
        if (begin != std::string_view::npos) return std::string(line.substr(begin));
      }
      at += label.size();
    }
  }
  return "unknown";
}

Machine describe_machine(const CpuAllowance& allowance) {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), {}};
  Machine machine;
  machine.cpu_model = cpu_model_of(cpuinfo);
  machine.system = system_name();
  machine.cpus = allowance.cpus.size();
  machine.cgroup_quota = allowance.quota;
  machine.default_cores = allowance.workers;
  machine.default_reason = allowance.reason;
  return machine;
}

std::string machine_text(const Machine& machine) {
  const std::string text = fmt::format("{}; {}", machine.cpu_model, machine.system);
  return machine.cgroup_quota ? fmt::format("{}; {}", text, machine.default_reason) : text;
}

}  // namespace tidemark
