// SPDX-License-Identifier: Apache-2.0
// What a module says in Shardy's words. HLO that frameworks print keeps it among its frontend attributes
// (xla.sdy.meshes, xla.sdy.sharding), StableHLO is read into the same, and so are XLA's own named shardings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/sharding/axis_parts.h"

namespace shardscope::inline program {

// The value of `key` among the frontend attributes of a module or an instruction, without its quotes.
std::optional<std::string> frontend_attribute(const std::vector<VerbatimAttribute>& verbatim,
                                              std::string_view key);

// The same attributes with another value of `key`; none: without it.
std::vector<VerbatimAttribute> with_frontend_attribute(std::vector<VerbatimAttribute> verbatim,
                                                       std::string_view key,
                                                       const std::optional<std::string>& value);
// The same attributes without Shardy's, which are about whole arrays.
std::vector<VerbatimAttribute> without_sdy_attributes(std::vector<VerbatimAttribute> verbatim);
inline constexpr const char* kSdySharding = "xla.sdy.sharding";

// The quoted names in {"x", "y"} or #sdy<manual_axes{"x", "y"}>.
std::vector<std::string> sdy_names_in(std::string_view text);

// Where an array enters a manual computation or leaves it: the whole of it, each device's part, and what the
// module says of it in Shardy's words (edge_words).
struct EdgeSharding {
  HloSharding whole, part;
  std::string words;
};
struct SdyEdges {
  std::string_view per_value;       // "#sdy.sharding_per_value<[…]>"
  std::string_view manual_axes;     // "#sdy<manual_axes{"x"}>"
  std::vector<size_t> ranks;        // of the arrays
  std::vector<std::string> around;  // axes that are manual outside of it already
};
// A sharding's text as the attribute has it: "<@m, …>" with its name in front.
std::string sdy_words(std::string_view sharding);
// The words at an end of a region; empty where it is manual along all axes: nothing spreads through it.
std::string edge_words(std::string_view sharding, const HloSharding& part);
Result<std::vector<EdgeSharding>> edge_shardings(const Program& module, const SdyEdges& said);

class ModuleShardings {
 public:
  explicit ModuleShardings(const Program& module);
  ~ModuleShardings();

  struct NamedMesh {
    std::string name;  // "" of one that stands in a sharding
    AxisMesh axes;
  };
  // In the order of the text; those of one device only are not among them.
  const std::vector<NamedMesh>& meshes() const { return meshes_; }

  struct Said {
    size_t mesh = 0;  // of meshes()
    AxisTiles tiles;
  };
  // Of each leaf of an instruction of the module; none: nothing in these words. What cannot be read says
  // nothing.
  std::vector<std::optional<Said>> of(const Instruction& instruction);
  // Whether a mesh or an array of the module is in these words.
  bool any() const { return any_; }

  struct Reader;

 private:
  std::optional<Said> read_sdy(std::string_view text, size_t rank);
  std::optional<Said> read_named(std::string_view text, size_t rank);
  size_t mesh_place(const std::string& name, const AxisMesh& axes);

  std::vector<NamedMesh> meshes_;
  std::unique_ptr<Reader> reader_;
  bool any_ = false;
};

}  // namespace shardscope::inline program
