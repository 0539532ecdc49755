// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/compile_as.h"

namespace shardscope::inline backend {

CompileAs compiler_of(const Hardware& hardware) {
  if (hardware.compiler) return *hardware.compiler;
  if (hardware.compute.mxu_rows > 1) return CompileAs::xla_tpu;
  const auto& peaks = hardware.compute.peak_flops_per_s;
  const auto f32 = peaks.find(ElementType::f32), bf16 = peaks.find(ElementType::bf16);
  const bool converts = f32 != peaks.end() && bf16 != peaks.end() && bf16->second < f32->second;
  return converts ? CompileAs::xla_cpu : CompileAs::xla_gpu;
}

}  // namespace shardscope::inline backend
