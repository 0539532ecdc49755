// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/partition/shardy/rule_builder.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {

// Factors of a convolution that is no plain product.
void convolution_factors(const ConvolutionDims& dims, RuleBuilder& rule);

}  // namespace shardscope::inline partitioner
