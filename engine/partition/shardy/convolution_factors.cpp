// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/convolution_factors.h"

#include <algorithm>

namespace shardscope::inline partitioner {
namespace {

using Kind = FactorRule::Kind;

// A dimension of the image is cut by windows, which are the result's, or by places in a window, which are the
// kernel's: the larger of the two is the major factor.
void space_factors(const ConvolutionDims& dims, size_t s, RuleBuilder& rule) {
  const int64_t image = dims.input_spatial[s], kernel = dims.kernel_spatial[s],
                result = dims.output_spatial[s];
  int64_t left = size_in(rule.operand(0), image);
  const auto add = [&](int64_t wanted, bool of_window) {
    const int64_t size = std::min(left, wanted);
    if (size <= 1) return;
    if (of_window)
      rule.factor({image, kernel}, kNone, size, Kind::reduction);
    else
      rule.factor({image, kNone}, result, size, Kind::permutation);
    left /= size;
  };
  const int64_t windows = size_in(rule.result(), result), window = size_in(rule.operand(1), kernel);
  add(std::max(windows, window), window > windows);
  add(std::min(windows, window), window <= windows);
}

}  // namespace

// Groups are the major factor of the dimensions that they divide: of features at both ends, or of the images'
// batch and the result's features.
void convolution_factors(const ConvolutionDims& dims, RuleBuilder& rule) {
  if (dims.batch_groups > 1)
    rule.factor({dims.input_batch, dims.kernel_output}, dims.output_feature, dims.batch_groups);
  rule.factor({dims.input_batch}, dims.output_batch, size_in(rule.result(), dims.output_batch));
  for (size_t s = 0; s < dims.input_spatial.size(); ++s) space_factors(dims, s, rule);
  if (dims.feature_groups > 1)
    rule.factor({dims.input_feature, dims.kernel_output}, dims.output_feature, dims.feature_groups);
  rule.factor({dims.input_feature, dims.kernel_input}, kNone, size_in(rule.operand(1), dims.kernel_input),
              Kind::reduction);
  rule.factor({kNone, dims.kernel_output}, dims.output_feature,
              size_in(rule.result(), dims.output_feature) / (dims.batch_groups * dims.feature_groups));
}

}  // namespace shardscope::inline partitioner
