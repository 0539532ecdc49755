// SPDX-License-Identifier: Apache-2.0
// An allocation fails, any of them: the program says so and ends with its exit code. It never dies of it,
// prints no half of a result, and leaves no half of a file or of a run behind.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope::out_of_memory_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// How many allocations of a command fail, one a start, of different places that allocate.
#ifdef SHARDSCOPE_NIGHTLY
constexpr size_t kMostFailures = 1000;
#else
constexpr size_t kMostFailures = 3;
#endif

const std::string kPreload = "LD_PRELOAD=" SHARDSCOPE_FAIL_ALLOCATION;

// A command, and what it writes beside its output.
struct Main {
  Words words;
  std::string file{};   // it writes into the folder, when it has a name
  bool record = false;  // into a workspace
};

std::vector<Main> main_commands() {
  const std::string mlp = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo";
  const Words small = {"--strategy", "wang.os", "--mesh", "row=2,col=2", "--m",       "16",
                       "--k",        "16",      "--n",    "16",          "--threads", "1"};
  const auto with = [&](Words words) {
    words.insert(words.end(), small.begin(), small.end());
    return words;
  };
  Words saved = with({"run", "--quiet"});
  saved.push_back("--out");
  return {{with({"run", "--json", "--quiet"}), "", true},
          {saved, "y.npy"},
          {{"sweep", "teaching", "--strategies", "wang.os,summa.os", "--quiet", "--threads", "1"}, "", true},
          {{"tune", "--model", "megatron", "--chips", "2", "--quiet", "--threads", "1"}},
          {with({"story"})},
          {{"sharding", "--mesh", "a=4,b=2", "--shape", "16,4", "--spec", "P('a',None)"}},
          {{"hlo", "parse", mlp, "--json"}},
          {{"hlo", "print", mlp}},
          {{"hlo", "partition", mlp}},
          {{"hlo", "run", mlp, "--json", "--threads", "1", "--quiet"}},
          {{"hlo", "code", mlp, "-o"}, "step.py"},
          {{"kernel", "run", "ag.ring", "--schedules", "3", "--threads", "1"}},
          {{"gmm", "--m", "16", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile", "4,4,4"}},
          {{"lesson", "list"}},
          {{"calibrate", "--hardware", "a100", "-o"}, "chip.toml"}};
}

// A place of its own for what a start of the command leaves.
class Place {
 public:
  ProcessOutcome start(const Main& main, std::vector<std::string> environment) const {
    Words words = main.words;
    if (!main.file.empty()) words.push_back(file());
    if (main.record) words.insert(words.end(), {"--db", db()});
    environment.push_back(kPreload);
    return run_program(words, environment);
  }
  std::string written() const {
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (!entry.path().filename().string().starts_with("w.shardscope")) return read_text(entry.path());
    return "";
  }
  bool tidy() const {
    return std::none_of(fs::directory_iterator(folder_.path()), fs::directory_iterator(),
                        [](const auto& entry) { return entry.path().extension() == ".part"; });
  }
  bool opens() const {
    return !fs::exists(db()) || run_program({"run", "teaching", "--strategy", "wang.os", "--numerics", "off",
                                             "--quiet", "--db", db()})
                                        .exit_code == 0;
  }
  std::string db() const { return folder_.file("w.shardscope"); }

 private:
  std::string file() const { return folder_.file("out"); }
  TemporaryFolder folder_;
};

// The numbers of the allocations, each from another place.
std::vector<int64_t> places_of(const Main& main) {
  const Place place;
  const TemporaryFolder beside;
  const ProcessOutcome whole = place.start(main, {"SHARDSCOPE_FAIL_PLACES=" + beside.file("places")});
  EXPECT_EQ(whole.exit_code, 0) << main.words.front() << ": " << whole.err;
  std::vector<int64_t> out;
  std::istringstream numbers(read_text(beside.file("places")));
  for (int64_t number = 0; numbers >> number;) out.push_back(number);
  return out;
}

std::vector<int64_t> sample_of(const std::vector<int64_t>& all) {
  EXPECT_GT(all.size(), 50U);
  std::vector<int64_t> out;
  const size_t count = std::min(kMostFailures, all.size());
  for (size_t i = 0; i < count; ++i) out.push_back(all[i * all.size() / count]);
  return out;
}

// All of a result that holds times of its own: it has as many lines, and its last one ends.
bool is_whole(const std::string& out, const std::string& whole) {
  return std::ranges::count(out, '\n') == std::ranges::count(whole, '\n') &&
         out.ends_with('\n') == whole.ends_with('\n');
}

// Where something was done about it (a sort has a way without), the command did what it does. What fails
// prints nothing, or all of a result whose record could not be written.
void expect_said(const ProcessOutcome& outcome, const ProcessOutcome& whole, const std::string& what) {
  EXPECT_TRUE(is_whole(outcome.out, whole.out) || (outcome.exit_code != 0 && outcome.out.empty()))
      << what << " prints half: " << outcome.out;
  if (outcome.exit_code == 0) return;
  EXPECT_EQ(outcome.exit_code, 2) << what << ": " << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("error: ")) << what << ": " << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << what << ": " << outcome.err;
  EXPECT_TRUE(outcome.err.find("memory") != std::string::npos) << what << ": " << outcome.err;
}

void fail_at(const Main& main, const std::vector<int64_t>& numbers, const std::string& how_often) {
  const Place undisturbed;
  const ProcessOutcome whole = undisturbed.start(main, {});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  for (const int64_t number : numbers) {
    const Place place;
    const std::string what = main.words.front() + " … " + main.words.back() + ", allocation " +
                             std::to_string(number) + " for " + how_often;
    const ProcessOutcome outcome = place.start(
        main, {"SHARDSCOPE_FAIL_AT=" + std::to_string(number), "SHARDSCOPE_FAIL_FOR=" + how_often});
    expect_said(outcome, whole, what);
    const std::string written = place.written();
    EXPECT_TRUE(main.file.empty() || written.empty() || written == undisturbed.written()) << what;
    EXPECT_TRUE(place.opens()) << what;
    EXPECT_TRUE(place.tidy()) << what;
  }
}

// Options are read before any command begins; that part is the same for all.
void fail_everywhere(const std::string& how_often, bool with_json = true) {
  const Main parser{{"--version"}};
  const std::vector<int64_t> before = places_of(parser);
  fail_at(parser, sample_of(before), how_often);
  for (const Main& main : main_commands()) {
    const bool json = main.record || std::ranges::find(main.words, "--json") != main.words.end();
    if (json && !with_json) continue;
    std::vector<int64_t> own = places_of(main);
    std::erase_if(own, [&](int64_t number) { return number <= before.back(); });
    fail_at(main, sample_of(own), how_often);
  }
}

TEST(OutOfMemory, OnceIsSaid) {
  fail_everywhere("1");
}

// As when there really is none: whatever the first failure leads to fails too. The library of JSON lets go of
// what it never made when a list of its own cannot be had twice over, so its users are left out.
TEST(OutOfMemory, ForAWhileIsSaid) {
  fail_everywhere("20", false);
}

}  // namespace
}  // namespace shardscope::out_of_memory_test
