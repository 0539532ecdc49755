// SPDX-License-Identifier: Apache-2.0
#include "tests/pages/browser.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace shardscope::pages_test {
namespace {

using namespace std::chrono_literals;

constexpr int kPatience = 60'000;  // milliseconds for one answer
const char* const kMissing =
    "chromium does not start: install the Debian package chromium (packaging/install-deps.sh --tests)";

std::string from_base64(const std::string& text) {
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string::npos) break;
    bits = (bits << 6U) | static_cast<uint32_t>(digit);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>((bits >> static_cast<unsigned>(have)) & 0xFFU);
  }
  return out;
}

// In the child: commands come on 3, answers go to 4.
[[noreturn]] void become_chromium(int commands, int answers, const std::string& folder) {
  dup2(commands, 103), dup2(answers, 104);
  dup2(103, 3), dup2(104, 4);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  const std::string profile = "--user-data-dir=" + folder;
  execlp("chromium", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", profile.c_str(), "about:blank",
         static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Browser& Browser::shared() {
  static Browser browser;
  return browser;
}

Browser::Browser() {
  std::signal(SIGPIPE, SIG_IGN);
  int commands[2], answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) {
    problem_ = "no pipe";
    return;
  }
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    become_chromium(commands[0], answers[1], folder_.path());
  }
  close(commands[0]), close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  try {
    call("", "Browser.getVersion");
  } catch (const std::exception&) {
    problem_ = kMissing;
  }
}

Browser::~Browser() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (process_ > 0) {
    kill(-process_, SIGKILL);  // it and its renderers: a group of their own
    waitpid(process_, nullptr, 0);
  }
}

Json Browser::read() {
  while (true) {
    if (const size_t end = buffer_.find('\0'); end != std::string::npos) {
      const Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd waits{from_, POLLIN, 0};
    if (poll(&waits, 1, kPatience) <= 0) throw std::runtime_error("the browser does not answer");
    char bytes[65536];
    const ssize_t count = ::read(from_, bytes, sizeof bytes);
    if (count <= 0) throw std::runtime_error("the browser has ended");
    buffer_.append(bytes, static_cast<size_t>(count));
  }
}

Json Browser::call(const std::string& session, const std::string& method, const Json& params) {
  const int id = ++calls_;
  Json message = {{"id", id}, {"method", method}, {"params", params}};
  if (!session.empty()) message["sessionId"] = session;
  const std::string text = message.dump() + '\0';
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(to_, text.data() + at, text.size() - at);
    if (written <= 0) throw std::runtime_error("the browser has ended");
    at += static_cast<size_t>(written);
  }
  while (true) {
    Json answer = read();
    if (answer.value("id", 0) != id) {
      if (answer.contains("method")) events.push_back(std::move(answer));
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

Page::Page(const std::string& path, const PageOptions& options) : url_("file://" + path + options.fragment) {
  Browser& browser = Browser::shared();
  if (!browser.problem().empty()) throw std::runtime_error(browser.problem());
  target_ = browser.call("", "Target.createTarget", {{"url", "about:blank"}})["targetId"];
  session_ =
      browser.call("", "Target.attachToTarget", {{"targetId", target_}, {"flatten", true}})["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) call(domain + std::string(".enable"));
  call("Emulation.setDeviceMetricsOverride",
       {{"width", options.width}, {"height", options.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"features",
         {{{"name", "prefers-color-scheme"}, {"value", options.scheme}},
          {{"name", "prefers-reduced-motion"}, {"value", options.still ? "reduce" : "no-preference"}}}}});
  call("Emulation.setScriptExecutionDisabled", {{"value", !options.scripts}});
  browser.events.clear();
  call("Page.navigate", {{"url", url_}});
  comes("document.readyState === 'complete'");
  if (options.scripts) comes("document.documentElement.classList.contains('scripted')");
}

Page::~Page() {
  try {
    Browser::shared().call("", "Target.closeTarget", {{"targetId", target_}});
  } catch (const std::exception&) {  // it is gone
  }
}

Json Page::call(const std::string& method, const Json& params) {
  return Browser::shared().call(session_, method, params);
}

Json Page::value(const std::string& expression) {
  const Json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
  return answer["result"].value("value", Json());
}

bool Page::comes(const std::string& condition) {
  for (int i = 0; i < 600; ++i) {
    if (value(condition) == true) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

void Page::key(const std::string& key) {
  static const std::map<std::string, int> kCodes = {{"ArrowRight", 39}, {"ArrowLeft", 37}, {"Home", 36},
                                                    {"End", 35},        {"PageDown", 34},  {"PageUp", 33},
                                                    {" ", 32},          {"Enter", 13}};
  Json press = {{"type", "keyDown"},
                {"key", key},
                {"code", key == " " ? "Space" : key},
                {"windowsVirtualKeyCode", kCodes.at(key)}};
  if (key == " ") press["text"] = " ";
  if (key == "Enter") press["text"] = "\r";
  call("Input.dispatchKeyEvent", press);
  press["type"] = "keyUp";
  press.erase("text");
  call("Input.dispatchKeyEvent", press);
}

void Page::type(const std::string& text) {
  call("Input.insertText", {{"text", text}});
}

void Page::point_at(const std::string& element) {
  const Json at = value("(() => { const e = " + element +
                        "; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); "
                        "return [r.x + r.width / 2, r.y + r.height / 2]; })()");
  call("Input.dispatchMouseEvent", {{"type", "mouseMoved"}, {"x", at[0]}, {"y", at[1]}});
}

std::string Page::pdf() {
  return from_base64(
      call("Page.printToPDF", {{"preferCSSPageSize", true}, {"printBackground", true}})["data"]);
}

std::string Page::picture(const std::string& element) {
  const Json box =
      value("(() => { const r = (" + element +
            ").getBoundingClientRect(); return {x: r.x + scrollX, y: r.y + scrollY, width: r.width, "
            "height: r.height, scale: 1}; })()");
  return from_base64(call("Page.captureScreenshot",
                          {{"format", "png"}, {"clip", box}, {"captureBeyondViewport", true}})["data"]);
}

std::vector<std::string> Page::complaints() const {
  std::vector<std::string> out;
  const std::string file = url_.substr(0, url_.find('#'));
  for (const Json& event : Browser::shared().events) {
    if (event.value("sessionId", "") != session_) continue;
    const std::string method = event["method"];
    const Json& said = event["params"];
    if (method == "Runtime.exceptionThrown" || method == "Page.javascriptDialogOpening") {
      out.push_back(said.dump());
    } else if (method == "Log.entryAdded" || method == "Runtime.consoleAPICalled") {
      out.push_back(said.dump());
    } else if (method == "Network.requestWillBeSent") {
      const std::string url = said["request"]["url"];
      if (!url.starts_with(file) && !url.starts_with("data:")) out.push_back("asked for " + url);
    }
  }
  return out;
}

}  // namespace shardscope::pages_test
