// SPDX-License-Identifier: Apache-2.0
// A record that cannot be written: the result is there, its number is not, and the exit code says so.
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::lost_record_test {
namespace {

using Json = nlohmann::json;

// The program where no file may grow beyond `bytes`; what it prints goes into a pipe. Its JSON, with "exit".
Json run_limited(int64_t bytes, const std::string& words) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  write_text(folder.file("script"), "trap '' XFSZ\n{ prlimit --fsize=" + std::to_string(bytes) +
                                        " '" SHARDSCOPE_PROGRAM "' " + words +
                                        " 2>/dev/null; echo \"exit $?\"; } | cat > '" + out + "'\n");
  EXPECT_EQ(std::system(("bash '" + folder.file("script") + "'").c_str()), 0);
  const std::string text = read_text(out);
  const size_t end = text.rfind("exit ");
  Json json = Json::parse(text.substr(0, end), nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["exit"] = end == std::string::npos ? -1 : std::stoi(text.substr(end + 5));
  return json;
}

// SQLite's index of the log takes 32 KiB, the log has room for little more than its header.
constexpr int64_t kTight = 40'000;

TEST(LostRecord, LeavesItsResultWithoutANumber) {
  const TemporaryFolder folder;
  const std::string asked =
      " --mesh row=2,col=2 --m 64 --k 64 --n 64 --json --quiet --db '" + folder.file("a.db") + "'";
  const Json first = run_limited(100'000'000, "run --strategy psum" + asked);
  ASSERT_EQ(first["exit"], 0);
  EXPECT_EQ(first["run_id"], 1);
  const Json lost = run_limited(kTight, "run --strategy psum" + asked);
  EXPECT_EQ(lost["exit"], 4);
  EXPECT_TRUE(lost.contains("run_id") && lost["run_id"].is_null()) << lost;
  EXPECT_EQ(lost["numerics"]["allclose"], true);
  const Json sweep = run_limited(kTight, "sweep --strategies psum,wang.os" + asked);
  EXPECT_EQ(sweep["exit"], 4);
  EXPECT_EQ(sweep["runs"].size(), 2u);
  for (const Json& run : sweep["runs"]) EXPECT_TRUE(run["run_id"].is_null());
}

}  // namespace
}  // namespace shardscope::lost_record_test
