// SPDX-License-Identifier: Apache-2.0
// Chromium without a display and without a network, driven through its debugging pipe (DevTools protocol).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace shardscope::pages_test {

using Json = nlohmann::json;

// The one browser of this process. Ends with it.
class Browser {
 public:
  static Browser& shared();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  const std::string& problem() const { return problem_; }  // empty: it runs
  // The answer's result; what the browser reports meanwhile goes to `events`. Throws std::runtime_error.
  Json call(const std::string& session, const std::string& method, const Json& params = Json::object());
  std::vector<Json> events;

 private:
  Browser();
  Json read();
  int to_ = -1, from_ = -1, process_ = -1, calls_ = 0;
  TemporaryFolder folder_;
  std::string buffer_, problem_;
};

struct PageOptions {
  bool scripts = true;
  std::string scheme = "light";  // or "dark"
  bool still = false;            // prefers-reduced-motion
  int width = 1400, height = 1000;
  std::string fragment = {};  // "#beat=3"
};

// A file as it is opened from disk.
class Page {
 public:
  explicit Page(const std::string& path, const PageOptions& options = {});
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  Json value(const std::string& expression);        // of JavaScript
  bool comes(const std::string& condition);         // within a while
  void key(const std::string& key);                 // "ArrowRight", "PageDown", " "
  void type(const std::string& text);               // into what has the focus
  void point_at(const std::string& element);        // an expression: its middle
  std::string pdf();                                // bytes, as printed on A4
  std::string picture(const std::string& element);  // PNG of an element, pixel by pixel
  // Errors on the console, scripts that fail or are refused, dialogs, requests for anything but the file.
  std::vector<std::string> complaints() const;

 private:
  Json call(const std::string& method, const Json& params = Json::object());
  std::string target_, session_, url_;
};

}  // namespace shardscope::pages_test
