// shard_map with psum
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
 %0 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{"x"}, {"y"}]>, <@m, [{"y"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x", "y"} (%c: tensor<4x2xf32>, %d: tensor<2x6xf32>) {
 %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
 %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
 ^bb0(%e: tensor<f32>, %f: tensor<f32>):
 %3 = stablehlo.add %e, %f : tensor<f32>
 stablehlo.return %3 : tensor<f32>
 }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
 sdy.return %2 : tensor<4x6xf32>
 } : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
 return %0 : tensor<8x6xf32>
}
