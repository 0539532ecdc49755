// SPDX-License-Identifier: Apache-2.0
// The pictures beside HLO text: lines from one text to the other, and one array's tiles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/mesh/mesh.h"
#include "engine/sharding/hlo_sharding.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// From a line of the text on the left to one of the text on the right. Heights are of the lines' middles in
// pixels of the canvas between the texts; above or below it when the line is scrolled away.
struct LineLink {
  std::string left, right;  // instructions
  float left_y = 0, right_y = 0;
  bool chosen = false;
  std::string words{};  // what becomes what
  bool operator==(const LineLink&) const = default;
};
// Chosen links stand out and are kept at the edge when an end is out of sight. Items: link, by place.
Scene layout_line_links(const std::vector<LineLink>& links, const Canvas& canvas);

struct ShardedArray {
  std::string name;  // "p0.1"
  std::string type;  // "f32"
  std::vector<int64_t> dims;
  std::optional<HloSharding> sharding;  // none: see `holds`
  Mesh mesh;                            // of all devices
  // Of a module that came partitioned dims are one device's, and what the whole is nobody said.
  enum class Holds { whole, same, own } holds = Holds::whole;
  bool operator==(const ShardedArray&) const = default;
};
// The array cut into its tiles, each with the devices that hold it: columns are the last dimension, rows the
// one before, further dimensions stand side by side. Items: block, by number of the tile (row-major).
Scene layout_tiles(const ShardedArray& array, const Selection& selection, const Canvas& canvas);
// A tile in words: its index ranges and who holds it.
std::vector<std::string> describe_tile(const ShardedArray& array, int64_t tile);
// What its sharding is, in a line: "{devices=[2,1]<=[2]} = P('x',None)"; the last part when the mesh has one.
std::string sharding_words(const ShardedArray& array);

}  // namespace shardscope::inline views
