// SPDX-License-Identifier: Apache-2.0
// Writing fails in the middle: at every kind of output, near its first byte, half way and at its last. The
// system refuses the bytes (a limit on the size of files), the program says so and leaves no half of a file.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/cli/process.h"

namespace shardscope::full_disk_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Written {
  int exit_code = -1;
  std::string err;
};

enum class Shown { errors, all };  // on the error stream alone, or on both

std::string quoted(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += " '" + word + "'";
  return out;
}

// The program where no file may grow beyond `bytes`. Only the program is limited: what it says goes into a
// pipe.
Written run_limited(const Words& words, int64_t bytes, Shown shown = Shown::errors) {
  const TemporaryFolder folder;
  const std::string out = folder.file("err");
  const std::string script = "trap '' XFSZ\n{ prlimit --fsize=" + std::to_string(bytes) +
                             " '" SHARDSCOPE_PROGRAM "'" + quoted(words) +
                             (shown == Shown::all ? " 2>&1" : " 2>&1 >/dev/null") +
                             "; echo \"exit $?\"; } | cat > '" + out + "'\n";
  write_text(folder.file("script"), script);
  EXPECT_EQ(std::system(("bash '" + folder.file("script") + "'").c_str()), 0);
  const std::string text = read_text(out);
  const size_t end = text.rfind("exit ");
  if (end == std::string::npos) return {-1, text};
  return {std::stoi(text.substr(end + 5)), text.substr(0, end)};
}

void expect_refused(const Written& outcome, const std::string& what) {
  EXPECT_EQ(outcome.exit_code, 4) << what << ": " << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("error: ")) << what << ": " << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << what << ": " << outcome.err;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename());
  std::ranges::sort(out);
  return out;
}

// A command that writes the one file `name` of a folder.
struct Output {
  std::string name;
  Words before;           // the path
  bool same_size = true;  // whatever the path is
};

std::vector<Output> outputs(const std::string& db) {
  const std::string module = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo";
  const Words view = {"render", "--db", db, "--run", "1", "--view"};
  const auto render = [&](const std::string& of) {
    Words out = view;
    out.insert(out.end(), {of, "-o"});
    return out;
  };
  return {{"y.npy", {"run", "teaching", "--strategy", "wang.os", "--quiet", "--out"}},
          {"grid.png", render("grid")},
          {"ring.svg", render("ring")},
          {"ring.pdf", render("ring")},
          {"run.html", render("ring")},
          {"c.html", {"compare", "--db", db, "--runs", "1", "--format", "html", "-o"}},
          {"c.pdf", {"compare", "--db", db, "--runs", "1", "--format", "pdf", "-o"}, false},
          {"c.csv", {"compare", "--db", db, "--runs", "1", "--format", "csv", "-o"}},
          {"trace.json", {"export", "--db", db, "--run", "1", "-o"}},
          {"step.py", {"hlo", "code", module, "-o"}},
          {"chip.toml", {"calibrate", "--hardware", "a100", "-o"}},
          {"lesson.html", {"lesson", "export", "1_ring", "-o"}}};
}

class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    EXPECT_EQ(run_program({"run", "teaching", "--strategy", "wang.os", "--db", db}).exit_code, 0);
  }
  static Words command(const Output& output, const std::string& folder) {
    Words out = output.before;
    out.push_back(folder + "/" + output.name);
    return out;
  }

  const TemporaryFolder folder;
  const std::string db = folder.file("runs.shardscope");
};

TEST_F(FullDisk, AnOutputIsThereWholeOrNotAtAll) {
  for (const Output& output : outputs(db)) {
    const TemporaryFolder whole;
    const ProcessOutcome fine = run_program(command(output, whole.path()));
    ASSERT_EQ(fine.exit_code, 0) << output.name << ": " << fine.err;
    const auto size = static_cast<int64_t>(fs::file_size(whole.file(output.name)));
    ASSERT_GT(size, 1) << output.name;
    const int64_t last = output.same_size ? size - 1 : size - size / 16;
    for (const int64_t limit : {size / 2, last}) {
      const TemporaryFolder cut;
      expect_refused(run_limited(command(output, cut.path()), limit),
                     output.name + " at " + std::to_string(limit) + " of " + std::to_string(size));
      EXPECT_EQ(files_in(cut.path()), std::vector<std::string>()) << output.name;
    }
  }
}

TEST_F(FullDisk, WhatStoodThereStaysWhenTheNewOneCannotBeWritten) {
  for (const Output& output : outputs(db)) {
    const TemporaryFolder kept;
    write_text(kept.file(output.name), "mine\n");
    expect_refused(run_limited(command(output, kept.path()), 64), output.name);
    EXPECT_EQ(read_text(kept.file(output.name)), "mine\n") << output.name;
    EXPECT_EQ(files_in(kept.path()), std::vector<std::string>{output.name});
  }
}

// A record is there whole or not at all, and earlier runs stay as they were.
TEST_F(FullDisk, ARecordThatDoesNotFitLeavesTheEarlierRuns) {
  const std::string before = run_program({"runs", "--db", db, "--json"}).out;
  const Words more = {"run", "teaching", "--strategy", "collective.os", "--db", db, "--quiet"};
  const auto size = static_cast<int64_t>(fs::file_size(db));
  int refused = 0;
  for (const int64_t limit : {size / 8, size / 4, size / 2, size}) {
    const Written outcome = run_limited(more, limit);
    const ProcessOutcome after = run_program({"runs", "--db", db, "--json"});
    EXPECT_EQ(after.exit_code, 0) << after.err;
    if (outcome.exit_code == 0) {
      EXPECT_NE(after.out, before) << limit;
      break;
    }
    ++refused;
    expect_refused(outcome, std::to_string(limit) + " of " + std::to_string(size));
    EXPECT_EQ(after.out, before) << limit;
  }
  EXPECT_GE(refused, 2);
  EXPECT_EQ(run_program(more).exit_code, 0);
}

TEST_F(FullDisk, AReportOfManyFilesHasWholeOnesOnly) {
  const Words sweep = {"sweep", "teaching", "--numerics", "off", "--quiet", "--report"};
  const TemporaryFolder whole, cut;
  Words fine = sweep, limited = sweep;
  fine.push_back(whole.file("report"));
  limited.push_back(cut.file("report"));
  ASSERT_EQ(run_program(fine).exit_code, 0);
  expect_refused(run_limited(limited, 20'000), "report");
  for (const auto& entry : fs::recursive_directory_iterator(cut.path())) {
    if (!entry.is_regular_file()) continue;
    const fs::path same = fs::path(whole.path()) / fs::relative(entry.path(), cut.path());
    ASSERT_TRUE(fs::exists(same)) << entry.path();
    EXPECT_EQ(fs::file_size(entry.path()), fs::file_size(same)) << entry.path();
  }
}

// The result is not lost with its file.
TEST_F(FullDisk, WhatWasComputedIsShownThoughItsFileIsNot) {
  const std::string module = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo";
  const TemporaryFolder cut;
  const Words gmm = {"gmm", "--m", "16", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile", "4,4,4"};
  for (Words words : std::vector<Words>{{"run", "teaching", "--strategy", "wang.os", "--quiet", "--json"},
                                        gmm,
                                        {"hlo", "run", module, "--quiet", "--json"},
                                        {"hlo", "partition", module, "--json"}}) {
    const ProcessOutcome whole = run_program(words);
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    words.insert(words.end(), {"--out", cut.file(words[0] + words[1] + ".npy")});
    const Written limited = run_limited(words, 64, Shown::all);
    EXPECT_EQ(limited.exit_code, 4) << words[0];
    EXPECT_NE(limited.err.find("error: "), std::string::npos) << words[0];
    EXPECT_GE(std::ranges::count(limited.err, '\n'), std::ranges::count(whole.out, '\n')) << limited.err;
    EXPECT_EQ(limited.err.substr(0, 20), whole.out.substr(0, 20)) << words[0];
  }
}

// The classic: a standard output that is full.
TEST_F(FullDisk, OfStandardOutputIsSaid) {
  for (const Words& words : std::vector<Words>{{"strategies", "--json"},
                                               {"export", "--db", db, "--run", "1"},
                                               {"completion", "bash"},
                                               {"story", "teaching", "--strategy", "wang.os"}}) {
    const TemporaryFolder here;
    const std::string err = here.file("err");
    const int status =
        std::system(("'" SHARDSCOPE_PROGRAM "'" + quoted(words) + " > /dev/full 2> '" + err + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4) << words.front();
    EXPECT_TRUE(read_text(err).starts_with("error: ")) << read_text(err);
  }
}

}  // namespace
}  // namespace shardscope::full_disk_test
