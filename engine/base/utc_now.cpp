// SPDX-License-Identifier: Apache-2.0
#include "engine/base/utc_now.h"

#include <chrono>
#include <ctime>

namespace shardscope {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace shardscope
