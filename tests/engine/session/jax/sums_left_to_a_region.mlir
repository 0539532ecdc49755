// sums_left_to_a_region, by JAX 0.10.2
// argument 0 = [[0.03,1.36,1.22,-0.51,-0.3,-0.53,0.57,-0.06],[0.75,-1.85,1.57,-0.1,0.68,-0.14,-0.38,0.46],[0.82,-0.2,-0.15,0.69,-0.87,-1.51,0.39,-0.67]]
// argument 1 = [[-0.01,1.05,0.74,0.72],[1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5],[-1.91,0.15,-0.91,1.78],[0.89,0.95,-0.06,0.61],[0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73],[0.77,-1.6,0.82,-0.63]]
// result 0 = [[4.0642,-1.6314002,-0.6414001,-5.1488004],[-3.7748003,9.5256,4.5857997,8.0136],[-8.3166,3.1706,0.513,3.5608]]
module @jit_sums_left_to_a_region attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3x4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x3xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %6 = stablehlo.add %5, %1 : tensor<3x4xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %8 = sdy.manual_computation(%7) in_shardings=[<@mesh, [{}, {}], unreduced={"x"}>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg2: tensor<3x4xf32>) {
      %9 = "stablehlo.reduce_scatter"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %10 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }) : (tensor<3x4xf32>) -> tensor<3x1xf32>
      sdy.return %9 : tensor<3x1xf32>
    } : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %8 : tensor<3x4xf32>
  }
}
