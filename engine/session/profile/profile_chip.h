// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/measure/import/profile.h"

namespace shardscope::inline session {

// The chip file that fits what a profile calls its devices: "h200" of "NVIDIA H200". `guess`: the profile
// does not say; one of the kind of its devices is taken.
struct ProfileChip {
  std::string hardware;
  bool guess = false;
};
ProfileChip profile_chip(const Profile& profile);

}  // namespace shardscope::inline session
