// SPDX-License-Identifier: Apache-2.0
// One function per file of strategies; strategy.cpp lists them in display order.
#pragma once

#include <vector>

#include "engine/program/build/builder.h"
#include "engine/strategies/strategy.h"

namespace shardscope {

std::vector<Strategy> collective_strategies();
std::vector<Strategy> wang_strategies();
std::vector<Strategy> meshslice_strategies();
std::vector<Strategy> summa_strategies();
std::vector<Strategy> cannon_strategies();
std::vector<Strategy> cannon_rectangular_strategies();
std::vector<Strategy> fox_strategies();
std::vector<Strategy> replicated_strategies();
std::vector<Strategy> psum_strategies();
std::vector<Strategy> pjit_strategies();
std::vector<Strategy> auto_strategies();
std::vector<Strategy> pallas_strategies();
std::vector<Strategy> megatron_strategies();
std::vector<Strategy> fsdp_strategies();
std::vector<Strategy> ring_matmul_strategies();
std::vector<Strategy> chain_strategies();
std::vector<Strategy> megatron_mlp_strategies();
std::vector<Strategy> transformer_strategies();
std::vector<Strategy> expert_parallel_strategies();
std::vector<Strategy> gather_strategies();
std::vector<Strategy> blockwise_strategies();

}  // namespace shardscope
