// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/base/file/write_file.h"
#include "engine/base/text.h"
#include "views/draw/paint.h"

namespace shardscope::inline views {

Result<PictureFormat> picture_format_of(const std::string& path) {
  const std::string name = small_letters(path);
  static constexpr std::pair<const char*, PictureFormat> kEndings[] = {
      {".png", PictureFormat::png}, {".svg", PictureFormat::svg}, {".pdf", PictureFormat::pdf}};
  for (const auto& [ending, format] : kEndings) {
    if (!name.ends_with(ending)) continue;
    TRY_VOID(can_draw(format, path));
    return format;
  }
  return invalid("unknown picture format, expected a name that ends in .png, .svg or .pdf", path,
                 "rename the file");
}

Result<void> write_picture(const Scene& scene, const std::string& path, double scale) {
  TRY(const PictureFormat format, picture_format_of(path));
  if (format == PictureFormat::svg) return write_file(path, to_svg(scene));
  TRY(const std::string bytes, format == PictureFormat::pdf ? to_pdf(scene) : to_png(scene, scale, path));
  return write_file(path, bytes);
}

}  // namespace shardscope::inline views
