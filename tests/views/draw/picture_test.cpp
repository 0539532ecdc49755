// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <gtest/gtest.h>

#include "tests/views/scene/sample_run.h"
#include "views/draw/paint.h"
#include "views/scene/core/run_views.h"

namespace shardscope::picture_test {
namespace {

class Picture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static int argc = 1;
    static char name[] = "test";
    static char* argv[] = {name, nullptr};
    static QGuiApplication app(argc, argv);
  }
  static Canvas measured(float scale) {
    Canvas c = canvas(1100 * scale, 640 * scale);
    c.theme.scale = scale;
    c.measure = measure_text;
    return c;
  }
  QTemporaryDir folder_;
};

TEST_F(Picture, PngIsTheSameEveryTime) {
  const SampleRun run;
  for (const std::string& view : view_names()) {
    const Scene scene = *layout_named(view, run.input(), {}, measured(1));
    const QImage first = to_image(scene);
    EXPECT_EQ(first.size(), QSize(1100, 640));
    EXPECT_EQ(first, to_image(scene)) << view;
  }
}

TEST_F(Picture, SvgIsWellFormed) {
  const SampleRun run;
  for (const std::string& view : view_names()) {
    QXmlStreamReader xml(
        QString::fromStdString(to_svg(*layout_named(view, run.input(), {}, measured(1)), "X & <Y>")));
    int elements = 0;
    while (!xml.atEnd()) {
      if (xml.readNext() == QXmlStreamReader::StartElement) ++elements;
    }
    EXPECT_FALSE(xml.hasError()) << view << ": " << xml.errorString().toStdString();
    // This run was not checked, which views of its numbers say in a sentence.
    EXPECT_GT(elements, view == "numerics" || view == "bits" ? 3 : 10) << view;
  }
}

TEST_F(Picture, IsWrittenByItsEnding) {
  const SampleRun run;
  const Scene scene = layout_timeline(run.input(), {}, {}, measured(1));
  const std::pair<const char*, QByteArray> kinds[] = {
      {"a.png", "\x89PNG"}, {"a.svg", "<svg"}, {"a.pdf", "%PDF"}};
  for (const auto& [name, magic] : kinds) {
    const QString path = folder_.filePath(name);
    ASSERT_TRUE(write_picture(scene, path.toStdString()).ok());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith(magic)) << name;
  }
}

TEST_F(Picture, SaysWhatItCannotWrite) {
  Scene scene;
  scene.width = scene.height = 10;
  EXPECT_EQ(write_picture(scene, "/no/such/folder/a.png").error().kind, ErrorKind::io);
  EXPECT_EQ(write_picture(scene, "/no/such/folder/a.svg").error().kind, ErrorKind::io);
  EXPECT_EQ(write_picture(scene, folder_.filePath("a.gif").toStdString()).error().kind, ErrorKind::invalid);
}

TEST_F(Picture, DigitsAreTabular) {
  const float one = measure_text("1111", 13, Face::sans);
  for (const char* digits : {"0000", "7777", "9999"})
    EXPECT_FLOAT_EQ(measure_text(digits, 13, Face::sans), one);
}

}  // namespace
}  // namespace shardscope::picture_test
