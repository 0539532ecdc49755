// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/save_text.h"

#include <QSaveFile>

#include "engine/base/say.h"

namespace shardscope::inline window {

Result<void> save_text(const QString& path, std::string_view text) {
  QSaveFile file(path);
  file.setDirectWriteFallback(true);  // a folder that takes no new file
  const auto bytes = static_cast<qint64>(text.size());
  if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), bytes) != bytes || !file.flush() ||
      !file.commit())
    return io_error(said("cannot write: ") + file.errorString().toStdString(), path.toStdString());
  return {};
}

}  // namespace shardscope::inline window
