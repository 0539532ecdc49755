// SPDX-License-Identifier: Apache-2.0
#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace shardscope {

void check_failed(const char* file, int line, const char* condition, const std::string& values) {
  std::fprintf(stderr, "shardscope bug: %s:%d: CHECK(%s)%s\n", file, line, condition, values.c_str());
  std::abort();
}

}  // namespace shardscope
