// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSurfaceFormat>

#include "views/host/surface.h"

namespace shardscope::inline views {

QSurfaceFormat gl_format();  // OpenGL 3.3 core, no multisampling (text and bars are pixel-exact already)
QWidget* make_gl_surface(SurfaceSource source, QWidget* parent);

}  // namespace shardscope::inline views
