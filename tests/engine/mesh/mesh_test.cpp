// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/mesh.h"

#include <gtest/gtest.h>

namespace shardscope::mesh_test {
namespace {

std::string error_of(const char* text) {
  const auto mesh = Mesh::parse(text);
  return mesh.ok() ? "no error" : mesh.error().text();
}

TEST(Mesh, device_ids_are_row_major) {
  const Mesh mesh = *Mesh::parse(" row = 2, col=3 ,depth=4 ");
  EXPECT_EQ(mesh.text(), "row=2,col=3,depth=4");
  EXPECT_EQ(mesh.device_count(), 24);
  EXPECT_EQ(mesh.coordinates(DeviceId(17)), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(mesh.place(DeviceId(17)), "(1,1,1)");
  for (int64_t d = 0; d < 24; ++d) EXPECT_EQ(mesh.device_at(mesh.coordinates(DeviceId(d))), DeviceId(d));
  EXPECT_EQ(mesh.stride(0), 12);
  EXPECT_EQ(mesh.axis_index("depth"), 2);
  EXPECT_EQ(mesh.axis_index("x"), std::nullopt);
}

TEST(Mesh, a_group_differs_on_one_axis_only) {
  const Mesh mesh = *Mesh::parse("row=2,col=3");
  EXPECT_EQ(mesh.group(DeviceId(4), 1), (std::vector<DeviceId>{DeviceId(3), DeviceId(4), DeviceId(5)}));
  EXPECT_EQ(mesh.group(DeviceId(4), 0), (std::vector<DeviceId>{DeviceId(1), DeviceId(4)}));
}

TEST(Mesh, no_axes_are_one_device) {
  EXPECT_EQ(Mesh().device_count(), 1);
  EXPECT_EQ(Mesh::make({})->device_count(), 1);
  EXPECT_EQ(Mesh::parse("x=1")->device_count(), 1);
}

TEST(Mesh, bad_axes_are_refused) {
  EXPECT_EQ(error_of("row=0"), "axis size must be at least 1, got 0; mesh axis 'row'");
  EXPECT_EQ(error_of("row=-2"), "axis size must be at least 1, got -2; mesh axis 'row'");
  EXPECT_EQ(error_of("row=1099511627776"),
            "the mesh has more than 1,048,576 devices; mesh axis 'row'=1099511627776; use a smaller mesh");
  EXPECT_EQ(Mesh::parse("a=4294967296,b=4294967296").error().kind, ErrorKind::too_big);
  EXPECT_EQ(Mesh::parse("a=1048576,b=2").error().kind, ErrorKind::too_big);
  EXPECT_TRUE(Mesh::parse("a=1048576").ok());
  EXPECT_EQ(error_of("row=2,row=2"), "axis 'row' is there twice; mesh");
  EXPECT_EQ(error_of("2row=2"),
            "axis name '2row' is not an identifier; mesh axis 1; use letters, digits and _");
  for (const char* text :
       {"", "row", "row=", "row=two", "row=2,", "=2", "row=99999999999999999999", "row=2.0"}) {
    EXPECT_NE(error_of(text), "no error") << text;
  }
}

TEST(Mesh, a_device_order_is_a_permutation) {
  const std::vector<MeshAxis> axes = {{"row", 2}, {"col", 2}};
  EXPECT_EQ(Mesh::make(axes, {0, 2, 1, 3})->chip_of(DeviceId(1)), 2);
  EXPECT_EQ(Mesh::make(axes, {0, 1, 2, 3})->device_order(), std::vector<int32_t>{});
  EXPECT_EQ(Mesh::make(axes, {0, 1}).error().what, "device order lists 2 devices, the mesh has 4");
  EXPECT_EQ(Mesh::make(axes, {0, 1, 1, 3}).error().what, "device 1 is twice in the device order");
  EXPECT_EQ(Mesh::make(axes, {0, 1, 2, 4}).error().what, "device 4 in the device order, expected 0 to 3");
  EXPECT_EQ(Mesh::make(axes, {0, 1, 2, -1}).error().what, "device -1 in the device order, expected 0 to 3");
}

TEST(Mesh, wrap_is_all_none_or_names) {
  const Mesh mesh = *Mesh::parse("row=2,col=2");
  const auto wraps = [&](const char* text) {
    const Mesh m = *with_wrap(mesh, text);
    return std::vector<bool>{m.axes()[0].wrap, m.axes()[1].wrap};
  };
  EXPECT_EQ(wraps("all"), (std::vector<bool>{true, true}));
  EXPECT_EQ(wraps("none"), (std::vector<bool>{false, false}));
  EXPECT_EQ(wraps("col"), (std::vector<bool>{false, true}));
  EXPECT_EQ(with_wrap(mesh, "depth").error().what, "unknown mesh axis 'depth'");
}

}  // namespace
}  // namespace shardscope::mesh_test
