// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/array_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/options/experiment_options.h"
#include "engine/base/element_type.h"
#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline cli {
namespace {

Result<std::vector<int64_t>> parse_shape(const std::string& text) {
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (const std::string& part : split(trim(text), ',')) {
    const auto size = parse_int(trim(part));
    if (!size || *size < 1) {
      return invalid(fmt::format("'{}' is not a dimension, expected a positive whole number", trim(part)),
                     "--shape", "write it as in 16,4");
    }
    const auto product = checked_multiply(elements, *size);
    if (!product || *product > (int64_t{1} << 59))
      return invalid("the array has too many elements", "--shape");
    elements = *product;
    dims.push_back(*size);
  }
  return dims;
}

}  // namespace

void add_array_options(CLI::App& command, ArrayOptions& options) {
  command.add_option("--mesh", options.mesh, "Mesh axes, as in a=4,b=2")->required();
  add_field_option(command, *find_field("device-order"), options.fields);
  command.add_option("--shape", options.shape, "Global array shape, as in 16,4")->required();
  command.add_option("--dtype", options.dtype, "Element type, for the bytes (default: f32)");
}

Result<Mesh> mesh_of(const ArrayOptions& options) {
  Experiment asked;
  TRY(asked.mesh, Mesh::parse(options.mesh));
  if (const auto typed = options.fields.find("device-order"); typed != options.fields.end()) {
    const Result<void> fine = put(*find_field("device-order"), asked, typed->second);
    if (!fine.ok()) return placed(fine.error(), "--device-order");
  }
  return asked.mesh;
}

Result<Shape> shape_of(const ArrayOptions& options) {
  TRY(std::vector<int64_t> dims, parse_shape(options.shape));
  const auto type = parse_element_type(options.dtype);
  if (!type) return invalid(fmt::format("unknown type '{}'", options.dtype), "--dtype");
  return Shape::array(*type, std::move(dims));
}

}  // namespace shardscope::inline cli
