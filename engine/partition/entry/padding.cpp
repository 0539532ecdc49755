// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/padding.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline partitioner {
namespace {

constexpr size_t kMostSentences = 12;

// "dimension 0, 10 over 4 become 12"; "": the sharding divides it.
std::string padding_of(const Shape& shape, const HloSharding& sharding) {
  if (sharding.kind != HloSharding::Kind::tiled || sharding.data_rank() != shape.rank()) return "";
  std::string out;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const int64_t size = shape.dims[d], parts = sharding.tiles.dims[d];
    if (size % parts == 0) continue;
    const int64_t padded = (size + parts - 1) / parts * parts;
    out +=
        fmt::format("{}dimension {}, {} over {} become {}", out.empty() ? "" : "; ", d, size, parts, padded);
  }
  return out;
}

}  // namespace

std::vector<std::string> padding_sentences(const Program& source, const ModuleNames& names) {
  struct Found {
    std::string first;
    int64_t more = 0;
  };
  std::map<std::string, Found> by_padding;  // by what is padded how
  std::vector<const std::string*> order;
  for (const Computation& c : source.computations) {
    for (const Instruction& i : c.instructions) {
      const auto shardings = leaf_shardings(i);
      if (!shardings.ok()) continue;
      const std::vector<Shape> leaves = leaves_of(i.shape);
      for (size_t k = 0; k < std::min(leaves.size(), shardings->size()); ++k) {
        const std::string padding = padding_of(leaves[k], (*shardings)[k]);
        if (padding.empty()) continue;
        const auto [found, is_new] = by_padding.try_emplace(padding);
        if (is_new) {
          found->second.first = fmt::format("{} {}: {}", names.display_name(i), leaves[k].text(), padding);
          order.push_back(&found->first);
        } else {
          ++found->second.more;
        }
      }
    }
  }
  std::vector<std::string> out;
  for (const std::string* key : order) {
    const Found& found = by_padding.at(*key);
    if (out.size() == kMostSentences) {
      out.push_back(fmt::format("{} more kinds of padding", order.size() - out.size()));
      break;
    }
    out.push_back(found.first + (found.more == 0 ? "" : fmt::format(" ({} more alike)", found.more)));
  }
  return out;
}

}  // namespace shardscope::inline partitioner
