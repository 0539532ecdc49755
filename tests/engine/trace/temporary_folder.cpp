// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "tests/engine/trace/sample_run.h"

namespace shardscope {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "shardscope-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace shardscope
