// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/export.h"

#include <QFile>

#include "app/window/document/language.h"
#include "app/window/document/shown_run.h"
#include "views/draw/paint.h"

namespace shardscope {

Result<void> export_picture(const CanvasView& canvas, const QString& path) {
  return write_picture(canvas.scene(), path.toStdString(), 2);
}

Result<void> export_text(const QString& text, const QString& path) {
  QFile file(path);
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush()) {
    return io_error(said("cannot write: ") + file.errorString().toStdString(), path.toStdString());
  }
  return {};
}

Result<void> export_report(const Comparison& comparison, const QString& path) {
  std::vector<NamedPicture> pictures;
  for (const RankedRun& ranked : rank(comparison.runs)) {
    const ShownRunPtr shown = with_story(show(ranked.run), {});
    const Canvas canvas{1200, 480, light_theme(), measure_text};
    const Scene scene = layout_timeline(shown->input(), {}, {}, canvas);
    const std::string name = say("Timeline of {}", ranked.run->strategy);
    pictures.push_back({name, to_svg(scene, name)});
  }
  return export_text(QString::fromStdString(compare_html(comparison, pictures)), path);
}

}  // namespace shardscope
