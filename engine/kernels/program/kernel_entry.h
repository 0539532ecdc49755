// SPDX-License-Identifier: Apache-2.0
// One kernel that comes with Shardscope: its row in the catalogue.
#pragma once

#include <string>

#include "engine/kernels/program/builder.h"
#include "engine/kernels/program/data.h"

namespace shardscope::kernels {

struct KernelEntry {
  std::string id;     // "ag.ring"
  std::string title;  // one sentence
  bool broken = false;
  std::string mended;  // of a broken one: the id of its mended twin
  int axes = 1;        // of the mesh that it reads: 0 for one device alone, 1 a ring, 2 a grid
  KernelBody body;
  KernelListing listing;  // its text
  // What every output should hold, from the inputs; none: outputs are not judged.
  KernelData (*expected)(const KernelProgram& program, const KernelData& inputs) = nullptr;
  std::string_view result;  // that, by name; its buffers are checked when a program is built
  std::string where;        // in errors: its id, or the file that it came from
};

}  // namespace shardscope::kernels
