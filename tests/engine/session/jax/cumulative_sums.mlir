// cumulative_sums, by JAX 0.10.2
// argument 0 = [[-0.01,1.05,0.74,0.72,1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5,-1.91,0.15,-0.91,1.78],[0.89,0.95,-0.06,0.61,0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73,0.77,-1.6,0.82,-0.63]]
// result 0 = [[-0.01,1.04,1.78,2.5,4.12,2.9099998,2.2799997,0.9599997],[-0.11,0.89,0.87,1.37,-0.53999996,-0.38999996,-1.3,0.48000002],[0.89,1.8399999,1.78,2.3899999,3.05,2.71,2.21,2.1000001],[-0.61,-1.2,-1.48,-2.21,-1.44,-3.04,-2.22,-2.85]]
// result 1 = [[0.9599997,0.9699999,-0.08000016,-0.81999993,-1.5400001,-3.16,-1.95,-1.32],[0.48000002,0.59000003,-0.4100001,-0.3900001,-0.8900001,1.02,0.86999995,1.78],[2.1000001,1.21,0.26,0.31999993,-0.28999996,-0.95000005,-0.61,-0.11],[-2.85,-2.2400002,-1.65,-1.3700001,-0.64000005,-1.4100001,0.19,-0.63]]
// result 2 = [[-0.01,1.05,1.05,1.05,1.62,1.62,1.62,1.62],[-0.11,1.,1.,1.,1.,1.,1.,1.78],[0.89,0.95,0.95,0.95,0.95,0.95,0.95,0.95],[-0.61,-0.59,-0.28,-0.28,0.77,0.77,0.82,0.82]]
module @jit_cumulative_sums attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}) {
    %0 = call @cumsum(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = call @cumsum_1(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = call @cummax(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  func.func private @cumsum_1(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 7]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  func.func private @cummax(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
