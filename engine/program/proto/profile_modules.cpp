// SPDX-License-Identifier: Apache-2.0
#include "engine/program/proto/profile_modules.h"

#include <algorithm>

#include "engine/base/file/wire.h"
#include "engine/program/proto/module_proto.h"
#include "engine/program/proto/proto_text.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;

// Numbers of the fields of XSpace, XPlane, XEventMetadata and XStat.
constexpr int kPlanes = 1;
constexpr int kPlaneName = 2, kPlaneEvents = 4;
constexpr int kEntryValue = 2;  // of a map
constexpr int kEventName = 2, kEventStats = 5;
constexpr int kStatBytes = 6;
constexpr std::string_view kMetadataPlane = "/host:metadata";

void add_modules(const Message& plane, std::vector<ProfileModule>& out) {
  for (const Message& entry : plane.messages(kPlaneEvents)) {
    const Message event = entry.message(kEntryValue);
    for (const Message& stat : event.messages(kEventStats)) {
      const auto module = module_in_proto(stat.bytes(kStatBytes));
      if (module) out.push_back({std::string(event.bytes(kEventName)), *module});
    }
  }
}

}  // namespace

std::vector<ProfileModule> profile_modules(std::string_view bytes) {
  bool broken = false;
  std::vector<ProfileModule> out;
  for (const Message& plane : Message(bytes, broken).messages(kPlanes))
    if (plane.bytes(kPlaneName) == kMetadataPlane) add_modules(plane, out);
  std::ranges::stable_sort(out, std::greater(), [](const ProfileModule& m) { return m.module.size(); });
  return out;
}

bool is_profile(std::string_view bytes) {
  bool broken = false;
  const std::vector<Message> planes = Message(bytes, broken).messages(kPlanes);
  return !broken && std::ranges::any_of(planes, [](const Message& plane) {
    const std::string_view name = plane.bytes(kPlaneName);
    return name.starts_with("/host:") || name.starts_with("/device:");
  });
}

}  // namespace shardscope::inline program::proto
