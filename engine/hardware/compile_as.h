// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace shardscope::inline hardware {

// Whose compiler decides what becomes one kernel: nobody's, each operation runs alone; XLA's for GPUs, where
// products are a library's; XLA's for TPUs, where what follows a product belongs to it; XLA's for CPUs.
enum class CompileAs : uint8_t { none, xla_gpu, xla_tpu, xla_cpu };
inline constexpr std::array kCompileAs{CompileAs::none, CompileAs::xla_gpu, CompileAs::xla_tpu,
                                       CompileAs::xla_cpu};
const char* name(CompileAs as);  // "xla-gpu"

}  // namespace shardscope::inline hardware
