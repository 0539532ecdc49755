// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/cluster/link.h"

namespace shardscope::inline cluster {

void Patience::wait() {
  constexpr int kYields = 200;
  constexpr std::chrono::microseconds kMost(500);
  if (turns_ < kYields) {
    ++turns_;
    std::this_thread::yield();
    return;
  }
  turns_ = std::min(turns_ + 1, kYields + 50);
  std::this_thread::sleep_for(std::min(std::chrono::microseconds(10 * (turns_ - kYields)), kMost));
}

}  // namespace shardscope::inline cluster
