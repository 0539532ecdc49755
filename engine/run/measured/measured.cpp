// SPDX-License-Identifier: Apache-2.0
#include "engine/run/measured.h"

namespace shardscope {

static_assert(sizeof(MeasuredEvent) == 32);

const char* name(MeasuredKind kind) {
  switch (kind) {
    case MeasuredKind::product:
      return "product";
    case MeasuredKind::elementwise:
      return "elementwise";
    case MeasuredKind::collective:
      return "collective";
    case MeasuredKind::copy:
      return "copy";
    case MeasuredKind::other:
      break;
  }
  return "other";
}

}  // namespace shardscope
