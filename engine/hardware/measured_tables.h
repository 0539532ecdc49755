// SPDX-License-Identifier: Apache-2.0
// The tables of a hardware file that measurements fill: [[product]], [[work]], [[link.op]], [overlap] and
// [calibration].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/toml.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline hardware {

Result<std::vector<ProductTiles>> read_products(const TomlTable& root);
Result<std::vector<WorkRate>> read_work(const TomlTable& root);
Result<std::vector<LinkOp>> read_link_ops(const TomlTable& link);
Result<Hardware::Overlap> read_overlap(const TomlTable& root);
Result<Hardware::Programs> read_programs(const TomlTable& root);
Result<std::optional<Hardware::Calibrated>> read_calibration(const TomlTable& root);

std::string products_text(const std::vector<ProductTiles>& products);
std::string work_text(const std::vector<WorkRate>& work);
std::string link_ops_text(const std::vector<LinkOp>& ops);
std::string overlap_text(const Hardware::Overlap& overlap);
std::string programs_text(const Hardware::Programs& programs);
std::string calibration_text(const Hardware::Calibrated& calibration);

}  // namespace shardscope::inline hardware
