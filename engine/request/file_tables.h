// SPDX-License-Identifier: Apache-2.0
// What an experiment file says in tables of its own: the mesh, slow chips and slow links.
#pragma once

#include <string>

#include "engine/base/toml.h"
#include "engine/request/experiment.h"

namespace shardscope::inline request {

// axes = [{ name, size, wrap }], device_order. `chip_wraps`: no axis says whether it wraps.
Result<Mesh> read_mesh(const TomlTable& table, bool& chip_wraps);
// [[slow_device]] chip, speed and [[slow_link]] a, b, speed.
Result<HardwareOverrides> read_overrides(const TomlTable& root);

std::string mesh_axes_toml(const Mesh& mesh, bool chip_wraps);
std::string device_order_toml(const Mesh& mesh);
std::string overrides_toml(const HardwareOverrides& overrides);

Result<std::string> read_required(const TomlTable& table, const char* key);

}  // namespace shardscope::inline request
