// SPDX-License-Identifier: Apache-2.0
#include "engine/run/experiment.h"
#include "engine/run/run.h"

namespace shardscope {

const char* name(Fill fill) {
  switch (fill) {
    case Fill::integers:
      return "integers";
    case Fill::normal:
      return "normal";
    case Fill::arange:
      return "arange";
    case Fill::jax:
      return "jax";
  }
  return "";
}

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

}  // namespace shardscope
