// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/tile_table.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/read_file.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {

Result<TilingLookup> read_tile_table(const std::string& path) {
  TRY(const std::string text, read_file(path));
  std::map<std::array<int64_t, 3>, GmmTiling> tiles;
  const std::vector<std::string> lines = split(text, '\n');
  for (size_t n = 0; n < lines.size(); ++n) {
    const std::string_view line = trim(std::string_view(lines[n]).substr(0, lines[n].find('#')));
    if (line.empty()) continue;
    std::vector<int64_t> sizes;
    for (const std::string& part : split(line, ',')) {
      const auto size = parse_int(trim(part));
      if (size && *size > 0) sizes.push_back(*size);
    }
    if (sizes.size() != 6 || split(line, ',').size() != 6) {
      return invalid(fmt::format("expected six whole numbers m,k,n,tm,tk,tn, got '{}'", line),
                     fmt::format("{}:{}", path, n + 1));
    }
    const bool added =
        tiles.emplace(std::array{sizes[0], sizes[1], sizes[2]}, GmmTiling{sizes[3], sizes[4], sizes[5]})
            .second;
    if (!added) {
      return invalid(fmt::format("(m, k, n) = ({}, {}, {}) has tiles already", sizes[0], sizes[1], sizes[2]),
                     fmt::format("{}:{}", path, n + 1), "leave one of the lines out");
    }
  }
  return TilingLookup(
      [tiles = std::move(tiles)](int64_t m, int64_t k, int64_t n) -> std::optional<GmmTiling> {
        const auto found = tiles.find({m, k, n});
        return found == tiles.end() ? std::nullopt : std::optional(found->second);
      });
}

}  // namespace shardscope::inline cli
