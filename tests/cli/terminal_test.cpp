// SPDX-License-Identifier: Apache-2.0
// What a terminal is shown, and what a file gets.
#include <gtest/gtest.h>
#include <pty.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/report/table.h"
#include "tests/cli/process.h"

namespace shardscope::terminal_test {
namespace {

// All that the program shows on a terminal of so many columns.
std::string shown_on(unsigned short columns, std::vector<std::string> words, const char* no_color = "") {
  winsize size{};
  size.ws_col = columns, size.ws_row = 24;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", no_color, 1);
    words.insert(words.begin(), SHARDSCOPE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string out;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(terminal, bytes, sizeof bytes)) > 0;)
    out.append(bytes, static_cast<size_t>(got));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  std::erase(out, '\r');
  return out;
}

size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t out = 0;
  for (std::string line; std::getline(lines, line);) out = std::max(out, display_width(line));
  return out;
}

TEST(Terminal, TablesFitItAndFilesGetThemWhole) {
  const std::vector<std::string> sweep = {"sweep", "teaching", "--numerics", "off", "--quiet"};
  const std::string whole = run_program(sweep).out;
  EXPECT_GT(longest_line(whole), 200U);
  for (const unsigned short columns : {80, 132}) {
    const std::string shown = shown_on(columns, sweep);
    EXPECT_LE(longest_line(shown), columns) << shown;
    for (const char* word :
         {"collective.os", "meshslice.os", "numbers", "× best of its layouts", "not checked"})
      EXPECT_NE(shown.find(word), std::string::npos) << word;
  }
  for (const char* command : {"strategies", "presets", "doctor", "truth"})
    EXPECT_LE(longest_line(shown_on(100, {command, "--quiet"})), 100U) << command;
}

TEST(Terminal, JsonIsNeverFolded) {
  EXPECT_EQ(shown_on(60, {"strategies", "--json"}), run_program({"strategies", "--json"}).out);
}

TEST(Terminal, ShowsProgressUnlessQuiet) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("t.json");
  write_text(trace, R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1}]})");
  for (std::vector<std::string> words :
       {std::vector<std::string>{"beside", trace},
        std::vector<std::string>{"measure", "import", trace, "--db", folder.file("w.shardscope")}}) {
    EXPECT_NE(shown_on(200, words).find("\033[K"), std::string::npos) << words.front();
    words.emplace_back("--quiet");
    EXPECT_EQ(shown_on(200, words).find("\033[K"), std::string::npos) << words.front();
  }
}

TEST(Terminal, ErrorsAreColouredThereUnlessNoColorIsSet) {
  const std::vector<std::string> wrong = {"hlo", "parse", "no_such.hlo"};
  EXPECT_TRUE(shown_on(200, wrong).starts_with("\033[1;31merror:\033[0m ")) << shown_on(200, wrong);
  EXPECT_TRUE(shown_on(200, wrong, "1").starts_with("error: "));
  EXPECT_TRUE(run_program(wrong).err.starts_with("error: "));
}

}  // namespace
}  // namespace shardscope::terminal_test
