// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "views/scene/core/scene.h"

namespace shardscope {

// SHARDSCOPE_UPDATE=1 writes the files anew.
inline void expect_golden(const std::string& name, const Scene& scene) {
  const std::string path = SHARDSCOPE_SOURCE_DIR "/tests/views/scene/golden/" + name + ".txt";
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) std::ofstream(path) << scene.text();
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(scene.text(), expected.str()) << "SHARDSCOPE_UPDATE=1 accepts the new picture";
}

}  // namespace shardscope
