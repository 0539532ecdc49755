// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run.h"

namespace shardscope::inline run {

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::failed:
      return "failed";
    case RunStatus::cancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace shardscope::inline run
