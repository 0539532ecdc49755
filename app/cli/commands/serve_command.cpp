// SPDX-License-Identifier: Apache-2.0
// serve: one session of many questions, JSON-RPC 2.0 on stdin and stdout.
#include <CLI/CLI.hpp>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "app/cli/commands/commands.h"
#include "app/cli/options/kept.h"
#include "app/cli/output/rpc.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostLine = size_t{64} << 20;
constexpr int kDeepest = 64;               // lists and objects within each other
constexpr const char* kCancel = "cancel";  // {"method": "cancel", "params": {"id": 1}}
constexpr const char* kEnd = "shutdown";

std::optional<Json> parsed(const std::string& line) {
  bool deep = false;
  const auto look = [&](int depth, Json::parse_event_t, const Json&) {
    deep |= depth > kDeepest;
    return !deep;
  };
  Json out = Json::parse(line, look, false);
  return deep || out.is_discarded() ? std::nullopt : std::optional(std::move(out));
}

// The lines of stdin, read on a thread of its own: a cancellation is heard while a question is worked on.
class Lines {
 public:
  explicit Lines(const std::stop_token& stop)
      : thread_([this, stop](const std::stop_token& end) { read_all(stop, end); }) {}

  // The next one; none: no more come.
  std::optional<std::string> next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !lines_.empty() || ended_; });
    if (lines_.empty()) return std::nullopt;
    std::string out = std::move(lines_.front());
    lines_.pop_front();
    return out;
  }
  // Of the question with this id, which is worked on from now on.
  std::stop_token begin(const Json& id) {
    const std::lock_guard lock(mutex_);
    running_ = id;
    source_ = {};
    if (stopped_) source_.request_stop();
    return source_.get_token();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
  }

 private:
  void read_all(const std::stop_token& stop, const std::stop_token& end) {
    constexpr int kGlanceMs = 50;
    std::string rest;
    char bytes[1 << 16];
    while (!end.stop_requested() && !stop.stop_requested()) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (::poll(&input, 1, kGlanceMs) <= 0) continue;
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got <= 0) break;
      rest.append(bytes, static_cast<size_t>(got));
      size_t begin = 0;
      for (size_t at = 0; (at = rest.find('\n', begin)) != std::string::npos; begin = at + 1)
        take(rest.substr(begin, at - begin));
      rest.erase(0, begin);
      if (rest.size() > kMostLine) break;
    }
    if (!stop.stop_requested() && !rest.empty()) take(rest);
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (stop.stop_requested()) {
      stopped_ = true;
      lines_.clear();
      source_.request_stop();
    }
    ready_.notify_all();
  }
  void take(std::string line) {
    const std::lock_guard lock(mutex_);
    if (const auto message = line.find(kCancel) == std::string::npos ? std::nullopt : parsed(line)) {
      if (message->is_object() && message->contains("method") && message->at("method") == kCancel) {
        const Json::json_pointer id("/params/id");
        if (message->contains(id) && !running_.is_null() && message->at(id) == running_)
          source_.request_stop();
        return;
      }
    }
    if (trim(line).empty()) return;
    lines_.push_back(std::move(line));
    ready_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::string> lines_;
  std::stop_source source_;
  Json running_;
  bool ended_ = false, stopped_ = false;
  std::jthread thread_;
};

// What one request is answered with; empty: nobody waits for it.
std::string answered(const CLI::App& app, const Ask& ask, const Json& message, Lines& lines, bool& ended) {
  const auto read = read_request(message);
  if (const auto* wrong = std::get_if<RpcError>(&read)) return rpc_failure(nullptr, *wrong);
  const auto& request = std::get<RpcRequest>(read);
  const auto reply = [&](std::string line) {
    return request.is_notification ? std::string() : std::move(line);
  };
  if (request.method == kEnd) {
    ended = true;
    return reply(rpc_result(request.id, "null", 0, {}));
  }
  const auto words = words_of(app, request);
  if (const auto* wrong = std::get_if<RpcError>(&words)) return reply(rpc_failure(request.id, *wrong));
  const auto& typed = std::get<std::vector<std::string>>(words);
  const SessionAnswer out = ask(typed, lines.begin(request.id));
  lines.end();
  if (out.error) return reply(rpc_failure(request.id, rpc_error(*out.error)));
  return reply(rpc_result(request.id, out.text, out.exit, typed));
}

// A list of requests is answered with the list of their answers.
std::string answered_line(const CLI::App& app, const Ask& ask, const std::string& line, Lines& lines,
                          bool& ended) {
  const auto message = parsed(line);
  if (!message)
    return rpc_failure(
        nullptr, {RpcCode::parse_error,
                  invalid(fmt::format("this line is no JSON of at most {} levels", kDeepest), "stdin")});
  if (!message->is_array() || message->empty()) return answered(app, ask, *message, lines, ended);
  std::vector<std::string> answers;
  for (const Json& each : *message)
    if (std::string answer = answered(app, ask, each, lines, ended); !answer.empty())
      answers.emplace_back(trim(answer));
  return answers.empty() ? "" : "[" + join(answers, ",") + "]\n";
}

Result<int> serve(const CLI::App& app, const Ask& ask, const std::stop_token& stop) {
  if (in_session()) return invalid("a session asks no session");
  const Session session;
  Lines lines(stop);
  bool ended = false;
  while (!ended) {
    const auto line = lines.next();
    if (!line) break;
    TRY_VOID(write_output(answered_line(app, ask, *line, lines, ended), ""));
  }
  if (stop.stop_requested()) return cancelled();
  return kExitDone;
}

}  // namespace

Command add_serve_command(CLI::App& app, Ask ask) {
  CLI::App* command = app.add_subcommand(
      "serve",
      "Answer many questions in one session: JSON-RPC on stdin and stdout; modules and records stay loaded");
  struct Flags {
    bool stdio = false, json = false;
  };
  auto o = std::make_shared<Flags>();
  command->add_flag("--stdio", o->stdio, "On stdin and stdout, a message a line")->required();
  command->add_flag("--json", o->json, "One JSON object on stdout for each question, with it and without");
  return [&app, o, ask = std::move(ask)](const std::stop_token& stop) { return serve(app, ask, stop); };
}

}  // namespace shardscope::inline cli
