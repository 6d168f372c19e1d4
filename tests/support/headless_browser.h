// A real browser without a screen: opens a page, runs expressions in it, and notes what the page
// complained about and asked for.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::test_support {

// Speaks the DevTools protocol over two pipes with a process that ends with the object. Everything
// throws std::runtime_error when the browser ends early or does not answer for a minute.
class HeadlessBrowser {
 public:
  // Where Chromium is, if it is installed.
  static std::optional<std::string> program();

  explicit HeadlessBrowser(const std::string& program);
  ~HeadlessBrowser();
  HeadlessBrowser(const HeadlessBrowser&) = delete;
  HeadlessBrowser& operator=(const HeadlessBrowser&) = delete;

  struct Screen {
    int width = 1100;
    bool dark = false;
  };
  // Opens a file and waits until it has loaded.
  void open(const std::string& path, const Screen& screen);
  // The value of a JavaScript expression, as JSON. Throws what the page throws.
  nlohmann::json evaluate(const std::string& expression);
  // The whole page as a PNG file.
  void save_screenshot(const std::string& path);

  // Since open(): console messages, exceptions and warnings of the browser about the page.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // Since open(): addresses that the page asked for, itself first.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  nlohmann::json call(const std::string& method,
                      nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json read_message();
  void note_event(const nlohmann::json& event);

  std::string profile_;  // the browser's own folder
  pid_t process_ = -1;
  int to_browser_ = -1;
  int from_browser_ = -1;
  std::string buffered_;
  int last_id_ = 0;
  std::string session_;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
  std::vector<std::string> requests_;
};

}  // namespace tidemark::test_support
