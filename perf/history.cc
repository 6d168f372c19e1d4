#include "tidemark/perf/history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tidemark/perf/json_document.h"
#include "tidemark/perf/rank_test.h"

namespace tidemark {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEntrySchema = "tidemark-history/1";

std::string entry_line(const HistoryEntry& entry) {
  Json line;
  line["schema"] = kEntrySchema;
  line["time"] = entry.time;
  line["commit"] = entry.commit;
  line["machine"] = Json::parse(entry.machine_json);
  line["build"] = Json::parse(entry.build_json);
  line["figures"] = Json::array();
  for (const HistoryFigure& figure : entry.figures) {
    line["figures"].push_back({{"name", figure.name},
                               {"value", figure.value},
                               {"unit", figure.unit},
                               {"better", to_string(figure.better)}});
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Better better_of(const std::string& text) {
  if (text == "higher") return Better::kHigher;
  return text == "equal" ? Better::kEqual : Better::kLower;
}

// What is wrong with a line, or its entry.
Expected<HistoryEntry> entry_of(const Json& line) {
  if (!line.is_object() || line.value("schema", Json()) != kEntrySchema) {
    return make_error(fmt::format("its schema is not {}", kEntrySchema));
  }
  HistoryEntry entry;
  try {
    entry.time = line.at("time").get<std::string>();
    entry.commit = line.at("commit").get<std::string>();
    entry.machine_json = line.value("machine", Json()).dump();
    entry.build_json = line.value("build", Json()).dump();
    for (const Json& figure : line.at("figures")) {
      entry.figures.push_back(
          {figure.at("name").get<std::string>(), figure.at("unit").get<std::string>(),
           better_of(figure.at("better").get<std::string>()), figure.at("value").get<double>()});
    }
  } catch (const Json::exception&) {
    return make_error("it lacks time, commit or figures with name, unit, better and value");
  }
  return entry;
}

// A file descriptor that closes itself, which also gives up the lock.
class LockedFile {
 public:
  explicit LockedFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  ~LockedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Whether a line without line feed may be an entry whose writing was cut off.
bool is_torn_entry(std::string_view line) {
  const std::string begin = fmt::format("{{\"schema\":\"{}\",", kEntrySchema);
  const std::size_t length = std::min(line.size(), begin.size());
  return line.substr(0, length) == std::string_view(begin).substr(0, length);
}

// A file that is not there may become a history; a folder, a device or a pipe may not.
Expected<void> check_history_is_a_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return {};
  return make_error(fmt::format("{} is {}: a history is a file, such as history.jsonl", path,
                                S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
}

tl::unexpected<Error> cannot_write(const std::string& path) {
  return make_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

// The bytes after the last line feed.
std::string unfinished_line(int descriptor, off_t size) {
  std::string line;
  char byte = 0;
  for (off_t at = size; at > 0 && ::pread(descriptor, &byte, 1, at - 1) == 1 && byte != '\n';
       --at) {
    line.insert(line.begin(), byte);
  }
  return line;
}

}  // namespace

HistoryEntry history_entry(const Measurement& measurement, const std::string& now) {
  HistoryEntry entry;
  entry.time = measurement.time.empty() ? now : measurement.time;
  entry.commit = measurement.commit;
  entry.machine_json = measurement.machine_json;
  entry.build_json = measurement.build_json;
  for (const Figure& figure : measurement.figures) {
    if (!figure.text.empty()) continue;
    const double value = figure.summary ? figure.summary->median : median_of(figure.samples);
    if (std::isfinite(value)) {
      entry.figures.push_back({figure.name, figure.unit, figure.better, value});
    }
  }
  return entry;
}

Expected<History> read_history(const std::string& path) {
  if (const auto is_file = check_history_is_a_file(path); !is_file) {
    return tl::unexpected(is_file.error());
  }
  History history;
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    if (errno == ENOENT) return history;
    return make_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    if (line.empty()) continue;
    const Json json = Json::parse(line.begin(), line.end(), nullptr, false);
    if (end == std::string::npos && json.is_discarded() && is_torn_entry(line)) {
      history.last_line_is_torn = true;
      break;
    }
    Expected<HistoryEntry> entry = entry_of(json);
    if (!entry) {
      return make_error(
          fmt::format("{}:{}: this line is no entry of a history: {}", path, number,
                      json.is_discarded() ? "it is not JSON" : entry.error().message));
    }
    history.entries.push_back(std::move(*entry));
  }
  return history;
}

Expected<void> check_history_is_writable(const std::string& path) {
  if (const auto is_file = check_history_is_a_file(path); !is_file) return is_file;
  if (::access(path.c_str(), W_OK) == 0) return {};
  if (errno != ENOENT) return cannot_write(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path);
  return {};
}

Expected<void> append_history(const std::string& path, const HistoryEntry& entry) {
  if (const auto is_file = check_history_is_a_file(path); !is_file) return is_file;
  const LockedFile file(path);
  struct stat status {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) return cannot_write(path);
  std::string line = entry_line(entry);
  if (const std::string last = unfinished_line(file.descriptor(), status.st_size); !last.empty()) {
    const Json json = Json::parse(last, nullptr, false);
    // Written by hand, a last line may be whole without its line feed.
    if (entry_of(json)) {
      line = "\n" + line;
    } else if (!json.is_discarded() || !is_torn_entry(last)) {
      return make_error(
          fmt::format("the last line of {} is no entry of a history: nothing was appended", path));
    } else if (::ftruncate(file.descriptor(), status.st_size - static_cast<off_t>(last.size())) !=
               0) {
      return cannot_write(path);
    }
  }
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = ::write(file.descriptor(), line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return cannot_write(path);
    written += static_cast<std::size_t>(count);
  }
  return {};
}

std::vector<HistorySeries> history_series(const History& history, bool any_machine) {
  std::vector<HistorySeries> series;
  if (history.entries.empty()) return series;
  const HistoryEntry& last = history.entries.back();
  for (const HistoryFigure& figure : last.figures) {
    series.push_back({figure.name, figure.unit, figure.better, {}});
  }
  for (const HistoryEntry& entry : history.entries) {
    if (!any_machine && entry.machine_json != last.machine_json) continue;
    for (const HistoryFigure& figure : entry.figures) {
      for (HistorySeries& one : series) {
        if (one.name != figure.name || one.unit != figure.unit) continue;
        one.points.push_back({entry.time, entry.commit, figure.value});
      }
    }
  }
  return series;
}

std::vector<FigureChangePoint> history_change_points(const std::vector<HistorySeries>& series,
                                                     const ChangePointOptions& options) {
  std::vector<FigureChangePoint> found;
  for (const HistorySeries& one : series) {
    const std::size_t skipped = one.points.size() - std::min(one.points.size(), kPointsLookedAt);
    std::vector<double> values;
    values.reserve(one.points.size() - skipped);
    for (std::size_t i = skipped; i < one.points.size(); ++i) values.push_back(one.points[i].value);
    for (const ChangePoint& change : find_change_points(values, options)) {
      const HistorySeries::Point& first = one.points[skipped + change.index];
      const bool worse = one.better == Better::kEqual ||
                         (change.after > change.before) == (one.better == Better::kLower);
      found.push_back({one.name, one.unit, skipped + change.index, first.time, first.commit,
                       change.before, change.after, change.p_value, worse});
    }
  }
  return found;
}

}  // namespace tidemark
