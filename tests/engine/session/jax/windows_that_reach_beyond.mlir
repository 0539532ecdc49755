// windows_that_reach_beyond, by JAX 0.10.2
// argument 0 = [[0.7,-0.98,-1.57,-2.92,-0.35,1.25,0.03,0.51],[1.02,-0.88,2.65,-0.88,0.37,2.74,-0.11,0.11],[-0.51,0.33,-2.13,-0.65,1.69,0.21,-0.24,0.37],[0.41,0.15,0.58,-1.66,0.59,-0.67,0.79,-0.02],[-1.,-0.07,-1.01,1.01,-0.03,0.85,-1.12,1.62],[-0.3,1.37,0.85,-1.1,0.32,-0.54,0.41,1.43]]
// argument 1 = [[0,3],[1,5],[9,9]]
// result 0 = [[0.7,-0.98,-1.57,-1.9200001,0.65,2.25,0.03,0.51],[1.02,-0.88,2.65,0.120000005,1.37,4.74,0.89,1.11],[-0.51,0.33,-2.13,-0.65,1.69,1.21,0.76,1.37],[0.41,0.15,0.58,-1.66,0.59,-0.67,0.79,-0.02],[-1.,-0.07,-1.01,1.01,-0.03,0.85,-1.12,1.62],[-0.3,1.37,0.85,-1.1,0.32,-0.54,0.41,1.43]]
module @jit_windows_that_reach_beyond attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<3x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<6x8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x3xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg1, %0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<3x2xi32>, tensor<3x2x3xf32>) -> tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
