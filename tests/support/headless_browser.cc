#include "support/headless_browser.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tidemark::test_support {

namespace {

using nlohmann::json;

constexpr int kAnswerWithinMs = 60'000;

// The protocol's own numbers of the two pipes.
constexpr int kBrowserReads = 3;
constexpr int kBrowserWrites = 4;

[[noreturn]] void become_browser(const std::string& program, const std::string& profile, int in,
                                 int out) {
  ::setpgid(0, 0);
  // Out of the way first: either may be one of the two numbers.
  const int read_end = ::fcntl(in, F_DUPFD, 10);
  const int write_end = ::fcntl(out, F_DUPFD, 10);
  ::dup2(read_end, kBrowserReads);
  ::dup2(write_end, kBrowserWrites);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, standard);
  const std::string folder = "--user-data-dir=" + profile;
  ::execl(program.c_str(), program.c_str(), "--headless", "--no-sandbox", "--disable-gpu",
          "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--remote-debugging-pipe", folder.c_str(), "about:blank",
          static_cast<char*>(nullptr));
  ::_exit(127);
}

std::string decoded_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) continue;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFF);
  }
  return bytes;
}

}  // namespace

std::optional<std::string> HeadlessBrowser::program() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string candidate = folder + "/" + name;
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  }
  return std::nullopt;
}

HeadlessBrowser::HeadlessBrowser(const std::string& program) {
  profile_ = (std::filesystem::temp_directory_path() / "tidemark_browser_XXXXXX").string();
  if (::mkdtemp(profile_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  std::array<int, 2> there{};
  std::array<int, 2> back{};
  if (::pipe2(there.data(), O_CLOEXEC) != 0 || ::pipe2(back.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe to the browser");
  }
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) become_browser(program, profile_, there[0], back[1]);
  ::close(there[0]);
  ::close(back[1]);
  to_browser_ = there[1];
  from_browser_ = back[0];
  const json page = call("Target.createTarget", {{"url", "about:blank"}});
  const json attached =
      call("Target.attachToTarget", {{"targetId", page["targetId"]}, {"flatten", true}});
  session_ = attached["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) {
    call(std::string(domain) + ".enable");
  }
}

HeadlessBrowser::~HeadlessBrowser() {
  ::close(to_browser_);
  ::close(from_browser_);
  // Its own group: the browser and the processes that it started.
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

void HeadlessBrowser::open(const std::string& path, const Screen& screen) {
  call("Emulation.setDeviceMetricsOverride", {{"width", screen.width},
                                              {"height", 900},
                                              {"deviceScaleFactor", 1},
                                              {"mobile", screen.width < 600}});
  call("Emulation.setEmulatedMedia",
       {{"features",
         {{{"name", "prefers-color-scheme"}, {"value", screen.dark ? "dark" : "light"}}}}});
  complaints_.clear();
  requests_.clear();
  loaded_ = false;
  call("Page.navigate", {{"url", "file://" + path}});
  while (!loaded_) note_event(read_message());
}

json HeadlessBrowser::evaluate(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) {
    throw std::runtime_error("the page throws: " + answer["exceptionDetails"].dump());
  }
  return answer["result"].value("value", json());
}

void HeadlessBrowser::save_screenshot(const std::string& path) {
  const json answer = call("Page.captureScreenshot", {{"captureBeyondViewport", true}});
  std::ofstream(path, std::ios::binary) << decoded_base64(answer["data"]);
}

json HeadlessBrowser::call(const std::string& method, json parameters) {
  json message = {{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  if (::write(to_browser_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the browser takes no messages");
  }
  while (true) {
    const json answer = read_message();
    if (!answer.contains("id")) {
      note_event(answer);
    } else if (answer["id"] == last_id_) {
      if (answer.contains("error")) throw std::runtime_error(method + ": " + answer.dump());
      return answer["result"];
    }
  }
}

// Messages end with a zero byte.
json HeadlessBrowser::read_message() {
  std::size_t end = buffered_.find('\0');
  while (end == std::string::npos) {
    pollfd waited{from_browser_, POLLIN, 0};
    if (::poll(&waited, 1, kAnswerWithinMs) <= 0) {
      throw std::runtime_error("the browser does not answer");
    }
    std::array<char, 65'536> block;
    const ssize_t count = ::read(from_browser_, block.data(), block.size());
    if (count <= 0) throw std::runtime_error("the browser has ended");
    buffered_.append(block.data(), static_cast<std::size_t>(count));
    end = buffered_.find('\0');
  }
  json message = json::parse(buffered_.substr(0, end));
  buffered_.erase(0, end + 1);
  return message;
}

void HeadlessBrowser::note_event(const json& event) {
  const std::string method = event.value("method", "");
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Network.requestWillBeSent") {
    requests_.push_back(event["params"]["request"]["url"]);
  }
  if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" ||
      method == "Log.entryAdded") {
    complaints_.push_back(event["params"].dump());
  }
}

}  // namespace tidemark::test_support
