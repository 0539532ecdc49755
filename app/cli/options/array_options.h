// SPDX-License-Identifier: Apache-2.0
// Options that say an array: its mesh, shape and type.
#pragma once

#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/shape.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

struct ArrayOptions {
  std::string mesh, shape;
  std::string dtype = "f32";
  std::map<std::string, std::string, std::less<>> fields;  // --device-order and what else a command adds
};
void add_array_options(CLI::App& command, ArrayOptions& options);

// The mesh with its order of devices. Errors name the option.
Result<Mesh> mesh_of(const ArrayOptions& options);
Result<Shape> shape_of(const ArrayOptions& options);

}  // namespace shardscope::inline cli
