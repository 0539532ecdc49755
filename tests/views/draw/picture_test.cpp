// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtEndian>
#include <gtest/gtest.h>

#include "tests/views/scene/sample_run.h"
#include "views/draw/gui/painter.h"
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
    EXPECT_GT(elements, view == "numerics" || view == "bits" || view == "steps" ? 3 : 10) << view;
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

TEST_F(Picture, PngHoldsEveryPixel) {
  const SampleRun run;
  const QImage picture = to_image(layout_timeline(run.input(), {}, {}, measured(1)));
  uint32_t seed = 1;
  for (const QImage::Format format : {QImage::Format_RGB32, QImage::Format_ARGB32, QImage::Format_RGB888,
                                      QImage::Format_RGBA8888, QImage::Format_Grayscale8}) {
    for (const QSize size : {QSize(1, 1), QSize(7, 3), QSize(301, 200)}) {
      QImage noise(size, QImage::Format_ARGB32);
      for (int y = 0; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x) noise.setPixel(x, y, seed = seed * 1664525U + 1013904223U);
      for (const QImage& image : {noise.convertToFormat(format), picture.convertToFormat(format)}) {
        const auto bytes = to_png(image, "a.png");
        ASSERT_TRUE(bytes.ok());
        QImage read;
        ASSERT_TRUE(read.loadFromData(reinterpret_cast<const uchar*>(bytes->data()),
                                      static_cast<int>(bytes->size()), "png"));
        EXPECT_EQ(read.hasAlphaChannel(), image.hasAlphaChannel());
        EXPECT_EQ(read.dotsPerMeterX(), image.dotsPerMeterX());
        EXPECT_EQ(read.convertToFormat(QImage::Format_ARGB32), image.convertToFormat(QImage::Format_ARGB32))
            << static_cast<int>(format) << ", " << size.width();
      }
    }
  }
}

// A PNG's rows as they were compressed: a filter's number, then its pixels.
QByteArray rows_of(const std::string& png, const QSize& size, int bytes_per_pixel) {
  const auto* bytes = reinterpret_cast<const uchar*>(png.data());
  const auto length = size.height() * (1 + size.width() * bytes_per_pixel);
  QByteArray packed(4, '\0');  // as qUncompress reads it: the length first
  qToBigEndian(length, packed.data());
  for (size_t at = 8; at + 12 <= png.size();) {
    const auto count = qFromBigEndian<quint32>(bytes + at);
    if (png.compare(at + 4, 4, "IDAT") == 0) packed.append(png.data() + at + 8, count);
    at += 12 + count;
  }
  return qUncompress(packed);
}

TEST_F(Picture, PngHasNoFilters) {
  const SampleRun run;
  const QImage picture =
      to_image(layout_timeline(run.input(), {}, {}, measured(1))).convertToFormat(QImage::Format_RGB888);
  const auto png = to_png(picture, "a.png");
  ASSERT_TRUE(png.ok());
  const QByteArray rows = rows_of(*png, picture.size(), 3);
  const int row = 1 + 3 * picture.width();
  ASSERT_EQ(rows.size(), picture.height() * row);
  for (int y = 0; y < picture.height(); ++y) EXPECT_EQ(rows[y * row], 0) << y;
}

TEST_F(Picture, SaysWhatItCannotWrite) {
  EXPECT_EQ(to_png(QImage(), "a.png").error().kind, ErrorKind::too_big);
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
