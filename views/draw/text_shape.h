// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainterPath>

#include "views/scene/core/scene.h"

namespace shardscope {

// The outlines of a text, where and as large as paint() draws it.
QPainterPath text_shape(const TextItem& item);

}  // namespace shardscope
