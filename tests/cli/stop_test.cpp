// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM end a long computation in the middle, each with its exit status.
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/cli/process.h"

namespace shardscope::stop_test {
namespace {

// Of a command that goes on for longer than that.
int status_after(int signal_number, const std::vector<std::string>& command) {
  const int process = start_program(command);
  usleep(1'500'000);
  kill(process, signal_number);
  return wait_for(process);
}

int status_of_convolution_after(int signal_number) {
  const TemporaryFolder folder;
  // Hours of products in one feature.
  std::ofstream(folder.file("m.hlo"))
      << "HloModule m\nENTRY main {\n x = f32[1,2048,2048,1] parameter(0)\n w = f32[1025,1025,1,1] "
         "parameter(1)\n"
         " ROOT y = f32[1,2048,2048,1] convolution(x, w), window={size=1025x1025 pad=512_512x512_512}, "
         "dim_labels=b01f_01io->b01f\n}\n";
  return status_after(signal_number, {"hlo", "run", folder.file("m.hlo"), "--quiet"});
}

TEST(Stop, AConvolutionEndsInTheMiddle) {
  EXPECT_EQ(status_of_convolution_after(SIGINT), 130);
  EXPECT_EQ(status_of_convolution_after(SIGTERM), 143);
}

// These show what they have so far.
TEST(Stop, EveryLongCommandEndsWithItsSignalsCode) {
  const std::vector<std::vector<std::string>> commands = {
      {"tune", "--model", "gpt3", "--chips", "1024"},
      {"sweep", "--mesh", "row=2,col=2", "--k", "64", "--n", "64", "--over", "m=4..80000+4"}};
  for (const auto& command : commands) {
    EXPECT_EQ(status_after(SIGINT, command), 130) << command[0];
    EXPECT_EQ(status_after(SIGTERM, command), 143) << command[0];
  }
}

}  // namespace
}  // namespace shardscope::stop_test
