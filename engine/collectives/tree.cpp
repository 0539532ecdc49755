// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/tree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace shardscope::inline collectives {

std::vector<int32_t> DoubleTreeSchedule::parents(int32_t ranks, bool second) {
  const auto parent = [&](int32_t r) {
    if (r == 0) return -1;
    const int32_t bit = r & -r;
    const int32_t above = (r ^ bit) | 2 * bit;
    return above < ranks ? above : r ^ bit;
  };
  // The second tree is the first one mirrored, or turned by a rank.
  const auto other = [&](int32_t r) {
    return !second ? r : ranks % 2 == 0 ? ranks - 1 - r : (r + 1) % ranks;
  };
  std::vector<int32_t> out(static_cast<size_t>(ranks), -1);
  for (int32_t r = 1; r < ranks; ++r) out[static_cast<size_t>(other(r))] = other(parent(r));
  return out;
}

std::array<DoubleTreeSchedule::Tree, 2> DoubleTreeSchedule::trees(CollectiveKind kind, int32_t ranks) {
  std::array<Tree, 2> out;
  for (size_t k = 0; k < 2; ++k) {
    Tree& tree = out[k];
    if (kind == CollectiveKind::all_reduce) {
      tree.parent = parents(ranks, k == 1);
    } else {
      tree.parent = {-1};
      if (ranks > 1) {
        for (const int32_t p : parents(ranks - 1, k == 1)) tree.parent.push_back(p + 1);
      }
    }
    const auto n = static_cast<size_t>(ranks);
    tree.first_child.assign(n + 1, 0);
    for (const int32_t p : tree.parent) {
      if (p >= 0) ++tree.first_child[static_cast<size_t>(p) + 1];
    }
    for (size_t r = 0; r < n; ++r) tree.first_child[r + 1] += tree.first_child[r];
    tree.children.resize(static_cast<size_t>(tree.first_child[n]));
    std::vector<int32_t> next(tree.first_child.begin(), tree.first_child.end() - 1);
    for (size_t r = 0; r < n; ++r) {
      int32_t depth = 0;
      for (int32_t p = tree.parent[r]; p >= 0; p = tree.parent[static_cast<size_t>(p)]) ++depth;
      tree.depth.push_back(depth);
      tree.height = std::max(tree.height, depth);
      if (tree.parent[r] >= 0) {
        tree.children[static_cast<size_t>(next[static_cast<size_t>(tree.parent[r])]++)] =
            static_cast<int32_t>(r);
      }
    }
  }
  return out;
}

DoubleTreeSchedule::DoubleTreeSchedule(CollectiveKind kind, int32_t ranks, int32_t segments)
    : DoubleTreeSchedule(kind, trees(kind, ranks), segments) {}

DoubleTreeSchedule::DoubleTreeSchedule(CollectiveKind kind, std::array<Tree, 2> trees, int32_t segments)
    : CollectiveSchedule({kind, static_cast<int32_t>(trees[0].parent.size()), 2 * segments,
                          trees[0].height == 0 ? 0
                                               : std::max(trees[0].height, trees[1].height) *
                                                         (kind == CollectiveKind::all_reduce ? 2 : 1) +
                                                     segments - 1,
                          Dependency::previous_step, 2, false}),
      height_(std::max(trees[0].height, trees[1].height)),
      segments_(segments) {
  trees_ = std::move(trees);
}

void DoubleTreeSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const auto r = static_cast<size_t>(source);
  for (size_t k = 0; k < 2; ++k) {
    const Tree& tree = trees_[k];
    const auto send = [&](int32_t target, int32_t segment, bool adds) {
      if (segment < 0 || segment >= segments_) return;
      out.push_back({step, source, target, static_cast<int32_t>(k) * segments_ + segment, 1, 0, adds});
    };
    // All ranks of a depth send in the same step, so what a sum needs came in the step before.
    if (kind() != CollectiveKind::broadcast && tree.parent[r] >= 0) {
      send(tree.parent[r], step - (height_ - tree.depth[r]), true);
    }
    if (kind() == CollectiveKind::reduce) continue;
    const int32_t down = kind() == CollectiveKind::all_reduce ? height_ : 0;
    for (int32_t c = tree.first_child[r]; c < tree.first_child[r + 1]; ++c) {
      send(tree.children[static_cast<size_t>(c)], step - (down + tree.depth[r]), false);
    }
  }
}

}  // namespace shardscope::inline collectives
