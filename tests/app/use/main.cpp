// SPDX-License-Identifier: Apache-2.0
// Tests that use the real program in a process of its own. To replay a session:
//   test_app_use --session use --folder DIR --seed N --actions K
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include "tests/app/use/session.h"

namespace {

const char* value_of(int argc, char** argv, const char* option) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], option) == 0) return argv[i + 1];
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 0);
  if (const char* kind = value_of(argc, argv, "--session")) {
    shardscope::SessionOptions options;
    options.kind = shardscope::kind_of_session(kind);
    options.folder = "session";
    if (const char* folder = value_of(argc, argv, "--folder")) options.folder = folder;
    if (const char* seed = value_of(argc, argv, "--seed")) options.seed = std::strtoull(seed, nullptr, 10);
    if (const char* actions = value_of(argc, argv, "--actions")) {
      options.actions = std::atoll(actions);
      options.seconds = 1e9;
    }
    if (const char* seconds = value_of(argc, argv, "--seconds")) options.seconds = std::atof(seconds);
    return shardscope::run_session(options);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
