// SPDX-License-Identifier: Apache-2.0
// What a file of strategies is written with. Each has one function that gives its rows; strategy.cpp lists
// them in display order.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "engine/program/build/builder.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline strategy {

// What strategies of one paper share; its methods make a row: the id, then aliases; a line for people; how.
struct Family {
  using Names = std::initializer_list<std::string_view>;

  std::string_view paper;
  std::vector<std::string_view> roles;
  std::vector<std::string_view> options{};  // that they read, beside "axes"
  std::optional<size_t> fewest_axes{};      // where not every role needs an axis

  Strategy row(StrategyKind kind, Names names, std::string_view title, WriteStrategy write) const;
  Strategy matmul(Names names, std::string_view title, WriteStrategy write) const {
    return row(StrategyKind::matmul, names, title, write);
  }
  Strategy part(Names names, std::string_view title, WriteStrategy write) const {
    return row(StrategyKind::part, names, title, write);
  }
  Strategy example(Names names, std::string_view title, WriteStrategy write) const {
    return row(StrategyKind::example, names, title, write);
  }
};

using Strategies = std::vector<Strategy>();
Strategies collective_strategies, wang_strategies, meshslice_strategies, summa_strategies, cannon_strategies,
    cannon_rectangular_strategies, fox_strategies, replicated_strategies, psum_strategies, pjit_strategies,
    auto_strategies, pallas_strategies, megatron_strategies, fsdp_strategies, ring_matmul_strategies,
    chain_strategies, megatron_mlp_strategies, transformer_strategies, expert_parallel_strategies,
    gather_strategies, bare_collective_strategies, blockwise_strategies;

}  // namespace shardscope::inline strategy
