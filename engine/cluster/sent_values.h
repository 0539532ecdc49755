// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "engine/cluster/link.h"
#include "engine/cluster/packet.h"
#include "engine/numerics/rules/device_value.h"

namespace shardscope::inline cluster {

// Values of devices on their way to another rank: what they are goes in a packet, the arrays behind it, each
// once.
class SentValues {
 public:
  void put(const DeviceValue& value, PacketWriter& out);
  void send(Link& link, int to, Link::Channel channel) const;

 private:
  std::map<const View*, int64_t> numbers_;
  std::vector<ViewPtr> plain_;  // by number
  std::vector<ViewPtr> kept_;   // as they were given, so that their addresses stay theirs
};

class ReceivedValues {
 public:
  explicit ReceivedValues(BufferPool& pool) : pool_(pool) {}
  DeviceValue get(PacketReader& in);
  void receive(Link& link, int from, Link::Channel channel);

 private:
  BufferPool& pool_;
  std::vector<Array> arrays_;
  std::vector<ViewPtr> views_;
};

}  // namespace shardscope::inline cluster
