// SPDX-License-Identifier: Apache-2.0
// PNG as our pictures want it. Qt's writer tries five filters on every row, which costs most of its time and
// makes flat colours and text larger: rows as they are take a third of the time and fewer bytes.
#include <cmath>
#include <csetjmp>
#include <new>
#include <png.h>

#include "views/draw/gui/painter.h"

namespace shardscope::inline views {
namespace {

constexpr int kZlibLevel = 3;  // the last of its fast ones

void append_bytes(png_structp png, png_bytep bytes, size_t count) {
  bool fits = true;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  if (!fits) png_error(png, "no memory");
}

// False where memory did not do. libpng gives up by a jump back to here, past everything called from here:
// nothing that wants a destructor may live in this function.
bool write_rows(png_structp png, png_infop info, const QImage& pixels) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width()), static_cast<png_uint_32>(pixels.height()),
               8, pixels.hasAlphaChannel() ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_pHYs(png, info, static_cast<png_uint_32>(pixels.dotsPerMeterX()),
               static_cast<png_uint_32>(pixels.dotsPerMeterY()), PNG_RESOLUTION_METER);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);  // PNG_NO_FILTERS would be the default: all
  png_set_compression_level(png, kZlibLevel);
  png_write_info(png, info);
  for (int y = 0; y < pixels.height(); ++y) png_write_row(png, pixels.constScanLine(y));
  png_write_end(png, nullptr);
  return true;
}

// Errors come back as a jump, not as lines on stderr.
void jump_back(png_structp png, png_const_charp) {
  png_longjmp(png, 1);
}

}  // namespace

Result<std::string> to_png(const QImage& image, const std::string& path) {
  const QImage pixels =
      image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888);
  std::string out;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump_back, [](png_structp, png_const_charp) {});
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (png != nullptr) png_set_write_fn(png, &out, append_bytes, nullptr);
  const bool written = !pixels.isNull() && info != nullptr && write_rows(png, info, pixels);
  png_destroy_write_struct(&png, &info);
  if (!written) return too_big("the picture does not fit in memory", path, "choose a smaller size");
  return out;
}

Result<std::string> to_png(const Scene& scene, double scale, const std::string& path, double dots_per_mm) {
  QImage image = to_image(scene, scale);
  if (dots_per_mm > 0) {
    image.setDotsPerMeterX(static_cast<int>(std::lround(dots_per_mm * 1000)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
  }
  return to_png(image, path);
}

}  // namespace shardscope::inline views
