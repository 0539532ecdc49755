// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/language.h"

#include <QApplication>
#include <QTranslator>

namespace shardscope::inline window {
namespace {

// Qt asks it for the texts of its own dialogs and menus ("&Undo", "Cancel") and for those in tr().
class CatalogueTranslator : public QTranslator {
 public:
  using QTranslator::QTranslator;

  bool isEmpty() const override { return false; }
  QString translate(const char* /*context*/, const char* english, const char* /*disambiguation*/,
                    int /*n*/) const override {
    const std::string there = shardscope::said(std::string_view(english));
    return there == english ? QString() : QString::fromStdString(there);
  }
};

}  // namespace

QString operator""_tr(const char* english, size_t size) {
  return QString::fromStdString(said(std::string_view(english, size)));
}

QString spoken(const QString& english) {
  return installed_catalogue() == nullptr ? english : QString::fromStdString(said(english.toStdString()));
}

QString counted_tr(qint64 count, const char* noun) {
  return QString::fromStdString(counted(count, noun));
}

void speak(Catalogue catalogue) {
  install(std::move(catalogue));
  QCoreApplication::installTranslator(new CatalogueTranslator(qApp));
}

}  // namespace shardscope::inline window
