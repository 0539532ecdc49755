// SPDX-License-Identifier: Apache-2.0
// The real program in use by somebody who does anything: it does not end, does not stand still, does not
// grow; and one that was killed goes on where it was.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/app/use/session.h"
#include "tests/app/use/worker.h"

namespace shardscope::use_test {
namespace {

#ifdef SHARDSCOPE_NIGHTLY
constexpr double kUseSeconds = 3600, kLookSeconds = 600, kMostInUseMb = 400;
constexpr int kKills = 100;
#else
constexpr double kUseSeconds = 30;
constexpr int kKills = 3;
#endif
constexpr double kMostGrowthMb = 100;
constexpr double kFreezeSeconds = 2;
constexpr size_t kTail = 100;  // a stack has up to 64 lines, and what was done before it is wanted

// The sessions of the night are others each night; what fails names its seed.
uint64_t seed_of_today() {
#ifdef SHARDSCOPE_NIGHTLY
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::hours(24));
#else
  return 12;
#endif
}

pid_t start(const SessionOptions& options) {
  const std::string seed = std::to_string(options.seed), seconds = std::to_string(options.seconds);
  const std::string said = options.folder + "/said.txt";
  const pid_t process = fork();
  if (process != 0) return process;
  const int out = ::open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execl("/proc/self/exe", "test_app_use", "--session", name(options.kind), "--folder", options.folder.c_str(),
        "--seed", seed.c_str(), "--seconds", seconds.c_str(), nullptr);
  _exit(127);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string tail_of(const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = lines.size() - std::min(lines.size(), kTail); i < lines.size(); ++i) out += lines[i] + "\n";
  return out;
}

// What a session has left behind.
struct Session {
  std::vector<std::string> log, said;
  int status = 0;

  std::string how(const SessionOptions& options) const {
    return "replay: test_app_use --session " + std::string(name(options.kind)) + " --seed " +
           std::to_string(options.seed) + " --seconds " + std::to_string(options.seconds) + "\n" +
           tail_of(log) + tail_of(said);
  }
  std::vector<double> numbers(const std::string& word) const {
    std::vector<double> out;
    for (const std::string& line : log)
      if (line.starts_with(word + " ")) out.push_back(std::strtod(line.c_str() + word.size(), nullptr));
    return out;
  }
  // Those that were longer than two seconds once it was known how long the thread had waited for a processor:
  // where it stood, and the action before.
  std::string freezes() const {
    std::string out;
    const std::string end = "freeze: lasted ";
    for (size_t i = 0, begin = 0; i < log.size(); ++i) {
      if (log[i].starts_with("freeze: the")) begin = i;
      if (!log[i].starts_with(end) || std::strtod(log[i].c_str() + end.size(), nullptr) < kFreezeSeconds)
        continue;
      for (size_t j = begin - std::min<size_t>(begin, 3); j <= i; ++j) out += log[j] + "\n";
    }
    return out;
  }
  bool ended() const { return !log.empty() && log.back() == "done"; }
};

Session run(const SessionOptions& options) {
  const pid_t process = start(options);
  Session out;
  waitpid(process, &out.status, 0);
  out.log = lines_of(options.folder + "/session.log");
  out.said = lines_of(options.folder + "/said.txt");
  return out;
}

void expect_fine(const Session& session, const SessionOptions& options) {
  EXPECT_TRUE(WIFEXITED(session.status) && WEXITSTATUS(session.status) == 0) << "it ended by itself\n"
                                                                             << session.how(options);
  EXPECT_TRUE(session.ended()) << session.how(options);
  EXPECT_EQ(session.freezes(), "") << session.how(options);
}

TEST(RandomUse, NothingMakesItCrashFreezeOrGrow) {
  const QTemporaryDir folder;
  const SessionOptions options{
      .folder = folder.path().toStdString(), .seed = seed_of_today(), .seconds = kUseSeconds};
  const Session session = run(options);
  expect_fine(session, options);
  const auto rests = session.numbers("rest");
  ASSERT_EQ(rests.size(), 2U) << session.how(options);
  EXPECT_LE(rests[1] - rests[0], kMostGrowthMb) << "MB from " << rests[0] << " to " << rests[1] << "\n"
                                                << session.how(options);
}

#ifdef SHARDSCOPE_NIGHTLY
TEST(RandomUse, AfterRunAllTheProcessStaysSmall) {
  const QTemporaryDir folder;
  const SessionOptions options{.kind = SessionOptions::Kind::look,
                               .folder = folder.path().toStdString(),
                               .seed = seed_of_today(),
                               .seconds = kLookSeconds};
  const Session session = run(options);
  expect_fine(session, options);
  bool in_use = false;
  double most = 0;
  for (const std::string& line : session.log) {
    in_use = in_use || line == "in use";
    if (in_use && line.starts_with("memory ")) most = std::max(most, std::strtod(line.c_str() + 7, nullptr));
  }
  EXPECT_GT(most, 0) << session.how(options);
  EXPECT_LE(most, kMostInUseMb) << session.how(options);
}

TEST(LargeUse, NothingLargeMakesItStandStill) {
  const QTemporaryDir folder;
  const SessionOptions options{.kind = SessionOptions::Kind::large, .folder = folder.path().toStdString()};
  expect_fine(run(options), options);
}
#endif

QJsonObject state_in(const std::string& line) {
  return QJsonDocument::fromJson(QByteArray::fromStdString(line.substr(std::string("state ").size())))
      .object();
}

// The last state that was written down whole, and the kind of step that was under way after it.
struct Left {
  QJsonObject state;
  QString under_way;
};

std::optional<Left> left_in(const std::vector<std::string>& log) {
  std::optional<Left> out;
  for (const std::string& line : log) {
    if (line.starts_with("state ") && line.ends_with("}")) out = Left{state_in(line), ""};
    if (line.starts_with("begin ") && out) out->under_way = QString::fromStdString(line.substr(6));
  }
  return out;
}

void expect_as_it_was(const Left& left, QJsonObject now, const std::string& how) {
  QJsonObject before = left.state;
  if (!left.under_way.isEmpty()) {
    for (const QString& key : Worker::touched(left.under_way)) {
      before.remove(key);
      now.remove(key);
    }
  }
  for (const QString& key : before.keys())
    EXPECT_EQ(QJsonDocument({{key, now[key]}}).toJson().toStdString(),
              QJsonDocument({{key, before[key]}}).toJson().toStdString())
        << "after " << left.under_way.toStdString() << "\n"
        << how;
}

void kill_and_restore(uint64_t seed, double after_s) {
  const QTemporaryDir folder;
  SessionOptions options{
      .kind = SessionOptions::Kind::work, .folder = folder.path().toStdString(), .seed = seed};
  const pid_t process = start(options);
  const std::string log = options.folder + "/session.log";
  while (!left_in(lines_of(log)) && kill(process, 0) == 0 && waitpid(process, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::duration<double>(after_s));
  kill(process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  const auto worked = lines_of(log);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself\n" << tail_of(worked);
  const auto left = left_in(worked);
  ASSERT_TRUE(left);
  ::unlink(log.c_str());
  options.kind = SessionOptions::Kind::restore;
  const Session again = run(options);
  ASSERT_TRUE(WIFEXITED(again.status) && WEXITSTATUS(again.status) == 0) << again.how(options);
  ASSERT_EQ(again.log.size(), 1U) << again.how(options);
  expect_as_it_was(*left, state_in(again.log.back()),
                   "seed " + std::to_string(seed) + "\n" + tail_of(worked));
}

TEST(KillNine, TheProgramGoesOnWhereItWasKilled) {
  const uint64_t first = seed_of_today() * 1000;
  std::mt19937_64 random(first);
  for (int round = 0; round < kKills; ++round) {
    kill_and_restore(first + static_cast<uint64_t>(round), static_cast<double>(random() % 4000) / 1000);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace shardscope::use_test
