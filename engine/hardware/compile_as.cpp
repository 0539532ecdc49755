// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/compile_as.h"

namespace shardscope::inline hardware {

const char* name(CompileAs as) {
  switch (as) {
    case CompileAs::none:
      return "none";
    case CompileAs::xla_gpu:
      return "xla-gpu";
    case CompileAs::xla_tpu:
      return "xla-tpu";
    case CompileAs::xla_cpu:
      return "xla-cpu";
  }
  return "";
}

}  // namespace shardscope::inline hardware
