// parts_out_of_a_region, by JAX 0.10.2
// argument 0 = [[-0.01,1.05,0.74,0.72],[1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5],[-1.91,0.15,-0.91,1.78],[0.89,0.95,-0.06,0.61],[0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73],[0.77,-1.6,0.82,-0.63]]
// result 0 = [[-1.9600002,10.82,3.2,2.76]]
module @jit_parts_out_of_a_region attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1x4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}], unreduced={"x"}>] manual_axes={"x"} (%arg1: tensor<2x4xf32>) {
      %4 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
      %5 = stablehlo.slice %arg1 [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
      %6 = stablehlo.subtract %4, %5 : tensor<1x4xf32>
      sdy.return %6 : tensor<1x4xf32>
    } : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.add %0, %0 : tensor<1x4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {}], unreduced={"x"}> : tensor<1x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x"}]> : tensor<1x4xf32>
    return %3 : tensor<1x4xf32>
  }
}
