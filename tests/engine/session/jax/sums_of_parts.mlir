// sums_of_parts, by JAX 0.10.2
// argument 0 = [[0.03,1.36,1.22,-0.51,-0.3,-0.53,0.57,-0.06],[0.75,-1.85,1.57,-0.1,0.68,-0.14,-0.38,0.46],[0.82,-0.2,-0.15,0.69,-0.87,-1.51,0.39,-0.67]]
// argument 1 = [[-0.01,1.05,0.74,0.72],[1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5],[-1.91,0.15,-0.91,1.78],[0.89,0.95,-0.06,0.61],[0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73],[0.77,-1.6,0.82,-0.63]]
// result 0 = [[4.4380054,3.860506,-2.5806708],[-1.7328134,3.6874604,1.472677],[-1.985611,0.590113,-0.56477886],[-4.02349,1.1855379,2.887494]]
module @jit_sums_of_parts attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x3xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<3x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x"}]> : tensor<3x8xf32>
    %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %6 = stablehlo.add %1, %5 : tensor<3x4xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}, {}], unreduced={"x"}> : tensor<3x4xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %9 = sdy.sharding_constraint %8 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x3xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{}, {}]> : tensor<4x3xf32>
    return %10 : tensor<4x3xf32>
  }
}
