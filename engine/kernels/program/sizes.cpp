// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/sizes.h"

namespace shardscope::kernels {

const std::vector<KernelSize>& kernel_sizes() {
  static const std::vector<KernelSize> kSizes = {
      {"rows", &KernelOptions::rows}, {"cols", &KernelOptions::cols}, {"m", &KernelOptions::m},
      {"k", &KernelOptions::k},       {"n", &KernelOptions::n},       {"bm", &KernelOptions::bm},
      {"bk", &KernelOptions::bk},     {"bn", &KernelOptions::bn},     {"chunks", &KernelOptions::chunks}};
  return kSizes;
}

}  // namespace shardscope::kernels
