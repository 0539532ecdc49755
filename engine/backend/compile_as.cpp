// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/compile_as.h"

namespace shardscope::inline backend {

const char* name(CompileAs as) {
  switch (as) {
    case CompileAs::none:
      return "none";
    case CompileAs::xla_gpu:
      return "xla-gpu";
    case CompileAs::xla_tpu:
      return "xla-tpu";
  }
  return "";
}

CompileAs compiler_of(const Hardware& hardware) {
  return hardware.compute.mxu_rows > 1 ? CompileAs::xla_tpu : CompileAs::xla_gpu;
}

}  // namespace shardscope::inline backend
