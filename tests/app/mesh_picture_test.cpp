// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/mesh_picture.h"

#include <QLineF>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace shardscope::mesh_picture_test {
namespace {

// Its first chips and its last, with a gap between, instead of all of them too small to be told apart.
TEST(MeshPicture, ALargeMeshIsFoldedAndStaysLargeEnoughToHit) {
  for (const char* text : {"x=64", "row=8,col=8", "a=2,b=64", "a=64,b=2", "x=512"}) {
    const Mesh mesh = *Mesh::parse(text);
    MeshPicture picture;
    picture.setMesh(mesh, {});
    picture.resize(300, picture.sizeHint().height());
    const QPointF first = picture.placeOf(0), second = picture.placeOf(1);
    EXPECT_GE(QLineF(first, second).length(), 20) << text;
    EXPECT_TRUE(QRectF(picture.rect()).contains(picture.placeOf(mesh.device_count() - 1))) << text;
    QSignalSpy chosen(&picture, &MeshPicture::chipChosen);
    QTest::mouseClick(&picture, Qt::LeftButton, Qt::NoModifier,
                      picture.placeOf(mesh.device_count() - 1).toPoint());
    ASSERT_EQ(chosen.size(), 1) << text;
    EXPECT_EQ(chosen[0][0].toLongLong(), mesh.device_count() - 1) << text;
  }
}

}  // namespace
}  // namespace shardscope::mesh_picture_test
