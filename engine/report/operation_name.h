// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/program/analysis/analysis.h"
#include "engine/run/run.h"

namespace shardscope {

// What an instruction is called in tables, and of a product its size.
struct OperationName {
  std::string verb, place;  // "all-gather", "col"; a product has no place
  DotSize size{0, 0, 0, 0};
};
OperationName operation_name(const Program& program, int32_t index);  // a global index
std::string product_name(const DotSize& size);                        // "product 2048×1024×128": m×k×n

// Whether a transfer is communication of `device`: it leaves there, or arrives there over its last link.
bool leaves_or_arrives(const Run& run, const Event& transfer, int32_t device);

}  // namespace shardscope
