// dilated_windows, by JAX 0.10.2
// argument 0 = [[0.7,-0.98,-1.57,-2.92,-0.35,1.25],[0.03,0.51,1.02,-0.88,2.65,-0.88],[0.37,2.74,-0.11,0.11,-0.51,0.33],[-2.13,-0.65,1.69,0.21,-0.24,0.37],[0.41,0.15,0.58,-1.66,0.59,-0.67],[0.79,-0.02,-1.,-0.07,-1.01,1.01],[-0.03,0.85,-1.12,1.62,-0.3,1.37],[0.85,-1.1,0.32,-0.54,0.41,1.43]]
// result 0 = [[0.,-0.98,0.7,-1.57,-0.98,-2.92,-1.57,-0.35,-2.92,1.25,-0.35],[0.,0.51,0.03,1.02,0.51,-0.88,1.02,2.65,-0.88,-0.88,2.65],[0.,2.74,0.37,-0.11,2.74,0.11,-0.11,-0.51,0.11,0.33,-0.51],[0.,-0.65,-2.13,1.69,-0.65,0.21,1.69,-0.24,0.21,0.37,-0.24],[0.,0.15,0.41,0.58,0.15,-1.66,0.58,0.59,-1.66,-0.67,0.59],[0.,-0.02,0.79,-1.,-0.02,-0.07,-1.,-1.01,-0.07,1.01,-1.01],[0.,0.85,-0.03,-1.12,0.85,1.62,-1.12,-0.3,1.62,1.37,-0.3],[0.,-1.1,0.85,0.32,-1.1,-0.54,0.32,0.41,-0.54,1.43,0.41]]
module @jit_dilated_windows attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x11xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [2, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x11xf32>
    return %1 : tensor<8x11xf32>
  }
}
