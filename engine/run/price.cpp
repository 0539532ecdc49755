// SPDX-License-Identifier: Apache-2.0
#include "engine/run/price.h"

#include "engine/base/text.h"

namespace shardscope::inline run {

Picoseconds Price::total() const {
  Picoseconds sum = 0;
  for (const PriceLeg& leg : legs) sum += leg.time;
  return sum;
}

std::string Price::words() const {
  std::vector<std::string> parts;
  for (const PriceLeg& leg : legs)
    parts.push_back(leg.verb + " " + leg.array + (leg.is_result ? " after" : " first"));
  return join(parts, ", ");
}

}  // namespace shardscope::inline run
