// SPDX-License-Identifier: Apache-2.0
#include "engine/run/numerics_report.h"

namespace shardscope {

const char* name(ProofSize size) {
  switch (size) {
    case ProofSize::full:
      return "full";
    case ProofSize::shrunk:
      return "shrunk";
    case ProofSize::off:
      break;
  }
  return "off";
}

}  // namespace shardscope
