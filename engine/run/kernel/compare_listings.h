// SPDX-License-Identifier: Apache-2.0
// A broken kernel's text beside its mended twin's.
#pragma once

#include <vector>

#include "engine/run/kernel/kernel_layout.h"

namespace shardscope::inline run {

// Which lines stand beside each other; 0: nothing does.
struct KernelLinePair {
  int32_t broken = 0, mended = 0;  // lines, from 1
  bool operator==(const KernelLinePair&) const = default;
};
std::vector<KernelLinePair> compare_kernels(const KernelListing& broken, const KernelListing& mended);
// What only says which kernel it is, its head, counts as equal.
bool same_lines(const KernelListing& broken, const KernelListing& mended, const KernelLinePair& pair);
// Lines of the one that the other has otherwise or not at all, ascending.
std::vector<int32_t> lines_unlike(const KernelListing& listing, const KernelListing& twin);

}  // namespace shardscope::inline run
