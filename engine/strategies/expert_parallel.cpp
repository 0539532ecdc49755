// SPDX-License-Identifier: Apache-2.0
// N. Shazeer et al., "Outrageously large neural networks: the sparsely-gated mixture-of-experts layer", 2017;
// D. Lepikhin et al., "GShard", 2020; T. Gale et al., "MegaBlocks", 2022 (groups as they are, none dropped):
// each device has its own experts, tokens travel to theirs and their results back.
#include <algorithm>

#include "engine/base/hash.h"
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

using Table = std::vector<std::vector<int64_t>>;

constexpr int64_t kMostPairs = int64_t{1} << 18;  // of a device and an expert: entries of a table

// Tokens of each device for each expert. The router likes an expert once, twice or three times as much as
// others.
Table routed(int64_t devices, int64_t tokens, int64_t experts) {
  std::vector<uint64_t> upto;
  for (int64_t e = 0; e < experts; ++e)
    upto.push_back((upto.empty() ? 0 : upto.back()) + 1 + mixed_bits(static_cast<uint64_t>(e)) % 3);
  Table counts(static_cast<size_t>(devices), std::vector<int64_t>(static_cast<size_t>(experts)));
  for (int64_t t = 0; t < devices * tokens; ++t) {
    const uint64_t drawn = mixed_bits(~static_cast<uint64_t>(t)) % upto.back();
    const auto expert = std::ranges::upper_bound(upto, drawn) - upto.begin();
    ++counts[static_cast<size_t>(t / tokens)][static_cast<size_t>(expert)];
  }
  return counts;
}

// Where the tokens stand. A device's own are sorted by expert; on the experts' device they are sorted by
// expert and then by the device that they come from, as a grouped product wants them.
struct Routes {
  Table counts, sent_from, received_at;  // [device][expert]: of the tokens' device
  Table sizes;                           // [expert's device][own expert]: tokens of all devices
  int64_t most_rows = 1;                 // of a device's experts together
};

Routes routes_of(int64_t devices, int64_t tokens, int64_t experts) {
  const auto own = static_cast<size_t>(experts / devices);
  Routes r{routed(devices, tokens, experts), {}, {}, {}, 1};
  r.sent_from = r.received_at = r.counts;
  r.sizes.assign(static_cast<size_t>(devices), std::vector<int64_t>(own));
  for (size_t d = 0; d < r.counts.size(); ++d) {
    int64_t at = 0;
    for (size_t e = 0; e < r.counts[d].size(); ++e) {
      r.sent_from[d][e] = at;
      at += r.counts[d][e];
    }
  }
  for (size_t host = 0; host < r.sizes.size(); ++host) {
    int64_t at = 0;
    for (size_t e = 0; e < own; ++e) {
      const int64_t first = at;
      for (size_t d = 0; d < r.counts.size(); ++d) {
        r.received_at[d][host * own + e] = at;
        at += r.counts[d][host * own + e];
      }
      r.sizes[host][e] = at - first;
    }
    r.most_rows = std::max(r.most_rows, at);
  }
  return r;
}

// The same table as the experts' devices see it: [expert's device][tokens' device · own experts + own
// expert].
Table turned(const Table& of_tokens, int64_t own) {
  Table out(of_tokens.size());
  for (size_t host = 0; host < of_tokens.size(); ++host) {
    for (const std::vector<int64_t>& row : of_tokens) {
      const auto first = row.begin() + static_cast<std::ptrdiff_t>(host) * own;
      out[host].insert(out[host].end(), first, first + own);
    }
  }
  return out;
}

// "Y[m,n] = X[m,k] W[e,k,n] where e[m] = 0:12 3:20".
std::string definition_of(const Table& counts) {
  std::string text = "Y[m,n] = X[m,k] W[e,k,n] where e[m] =";
  for (const std::vector<int64_t>& row : counts) {
    for (size_t e = 0; e < row.size(); ++e)
      if (row[e] > 0) text += " " + std::to_string(e) + ":" + std::to_string(row[e]);
  }
  return text;
}

void note_imbalance(SpmdBuilder& b, const Routes& routes, int64_t tokens) {
  size_t fullest = 0;
  std::vector<int64_t> rows;
  for (const std::vector<int64_t>& sizes : routes.sizes) {
    rows.push_back(0);
    for (const int64_t size : sizes) rows.back() += size;
    if (rows.back() > rows[fullest]) fullest = rows.size() - 1;
  }
  const int64_t percent = (100 * rows[fullest] + tokens / 2) / tokens;
  const std::string cents = std::to_string(percent % 100);
  b.choice("imbalance", std::to_string(percent / 100) + "." + (cents.size() < 2 ? "0" : "") + cents + " (" +
                            b.axis("row") + "=" + std::to_string(fullest) + " gets " +
                            std::to_string(rows[fullest]) + " tokens, the mean is " + std::to_string(tokens) +
                            ")");
}

Result<Program> expert_parallel(SpmdBuilder& b, const StrategyOptions& options) {
  const MatmulProblem& p = b.problem();
  const int64_t devices = b.size("row"), experts = options.experts.value_or(2 * devices);
  b.require_divisible("experts", experts, {"row"});
  b.require_divisible("m", p.m, {"row"});
  b.limit(experts <= kMostPairs / devices, "needs at most " + std::to_string(kMostPairs) +
                                               " pairs of a device and an expert, got " +
                                               std::to_string(devices) + "*" + std::to_string(experts));
  b.limit(p.m <= INT32_MAX && experts <= INT32_MAX / std::max<int64_t>(p.k, 1),
          "needs fewer than 2^31 tokens and rows of W");
  if (!b.ok()) return b.finish({}, {});
  auto X = b.lhs("mk", P("row", ""));
  auto W = b.operand("W", {experts * p.k, p.n}, P("row", ""), "experts*k,n");
  if (!b.ok()) return b.finish({}, {});

  const int64_t tokens = p.m / devices, own = experts / devices;
  const Routes routes = routes_of(devices, tokens, experts);
  b.define(definition_of(routes.counts));
  b.choice("experts", std::to_string(experts));
  note_imbalance(b, routes, tokens);
  const auto row = [&](const Table& table) { return b.table_row(table, "row"); };

  auto sizes = row(routes.sizes);
  auto rows = X;
  SpmdBuilder::RaggedTables there, back;
  if (devices > 1) {
    there = {row(routes.sent_from), row(routes.counts), row(routes.received_at),
             row(turned(routes.counts, own))};
    back = {row(turned(routes.received_at, own)), there.receive_sizes, row(turned(routes.sent_from, own)),
            there.send_sizes};
    b.phase("tokens to their experts");
    rows = b.ragged_all_to_all(X, b.zeros({routes.most_rows, p.k}, p.dtype), "row", there);
  }
  b.phase("each expert's own product");
  auto Y = b.stored(b.ragged_dot(rows, b.reshape(W, {own, p.k, p.n}), sizes));
  b.phase("results back to their tokens");
  Y = b.ragged_all_to_all(Y, b.zeros({tokens, p.n}, p.dtype), "row", back);
  return b.finish(Y, P("row", ""));
}

}  // namespace

std::vector<Strategy> expert_parallel_strategies() {
  const Family f{"GShard, Lepikhin et al. 2020; MegaBlocks, Gale et al. 2022", {"row"}, {"experts"}};
  return {f.example({"moe.expert_parallel"},
                    "Mixture of experts: tokens, sorted by expert, travel to their experts' device and back",
                    expert_parallel)};
}

}  // namespace shardscope::inline strategy
