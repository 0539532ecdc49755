// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/host/surface.h"

namespace shardscope::inline views {

QWidget* make_raster_surface(SurfaceSource source, QWidget* parent);

}  // namespace shardscope::inline views
