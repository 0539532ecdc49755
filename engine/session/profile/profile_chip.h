// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/measure/import/profile.h"

namespace shardscope::inline session {

// The chip file that fits what a profile calls its devices: "h200" of "NVIDIA H200". `guess`: the profile
// does not say, or names one that is not known; one of the kind of its devices is taken.
struct ProfileChip {
  std::string hardware;
  bool guess = false;
  std::string called = {};  // of a guess: what the profile names, empty: nothing
};
ProfileChip profile_chip(const Profile& profile);

}  // namespace shardscope::inline session
