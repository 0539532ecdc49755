// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline program::proto {

// A module that a profile of JAX keeps beside its events: "jit_layer(12601)", of the program of that number.
struct ProfileModule {
  std::string name;
  std::string_view module;  // a serialised HloModuleProto; does not own it
};
// Of an XSpace (tsl/profiler/protobuf/xplane.proto), the largest first; none: it is no XSpace, or keeps none.
std::vector<ProfileModule> profile_modules(std::string_view bytes);
// Whether the bytes are an XSpace: planes, of devices or hosts.
bool is_profile(std::string_view bytes);

}  // namespace shardscope::inline program::proto
