// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/help_entries.h"

#include "app/window/document/language.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/searched.h"
#include "engine/help/topics.h"
#include "engine/request/fields.h"

namespace shardscope::inline window {
namespace {

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// What Markdown would take for a mark.
QString plain(QString text) {
  for (const char* mark : {"\\", "|", "*", "_", "`", "<", "["}) text.replace(mark, QString("\\") + mark);
  return text;
}

QString keys_table(const KeyMap& keys, const QString& focus) {
  QString out;
  for (const KeyRow& row : keys.rows()) {
    const QString now = text_of_keys(keys.keys(row.id));
    if (row.focus == focus && !now.isEmpty())
      out += QString("| %1 | %2 |\n").arg(plain(now), plain(row.title));
  }
  for (const Gesture& each : gestures()) {
    if (each.focus == focus)
      out += QString("| %1 | %2 |\n").arg(plain(spoken(each.gesture)), plain(spoken(each.does)));
  }
  if (out.isEmpty()) return out;
  return QString("\n\n| %1 | %2 |\n|---|---|\n").arg("Key"_tr, "Does"_tr) + out;
}

HelpEntry entry_of(const HelpTopic& topic, const QString& group, const KeyMap& keys) {
  const QString title = spoken(topic.title);
  return {topic.id, group, title,
          QString("# %1\n\n**%2**\n\n%3").arg(title, spoken(topic.shows), spoken(topic.reading)) +
              keys_table(keys, topic.keys)};
}

// A field is told where it is asked: the help says what the command line's says.
HelpEntry entry_of(const Field& field) {
  const QString key = text_of(field.key);
  QString text = QString("# %1\n\n%2\n").arg(key, plain(text_of(help_text(field))));
  if (!field.unit.empty()) text += "\nUnit: %1\n"_tr.arg(text_of(field.unit));
  if (field.has(kOption)) text += "\nOn the command line: `--%1`\n"_tr.arg(key);
  return {"field." + key, "Fields"_tr, key, text};
}

}  // namespace

std::vector<HelpEntry> help_entries(const KeyMap& keys) {
  std::vector<HelpEntry> out;
  for (const HelpGroup& group : help_groups()) {
    for (const HelpTopic& each : group.topics) out.push_back(entry_of(each, spoken(group.title), keys));
  }
  for (const HelpPage& page : help_guides())
    out.push_back({"guide." + text_of(page.id), "Guides"_tr, text_of(page.title), text_of(page.text)});
  for (const Field& field : fields()) out.push_back(entry_of(field));
  return out;
}

std::vector<size_t> matching(const std::vector<HelpEntry>& entries, const QString& words) {
  return found_in(entries, search_for(words),
                  [](const HelpEntry& entry) { return searched({entry.title}, entry.markdown); });
}

}  // namespace shardscope::inline window
