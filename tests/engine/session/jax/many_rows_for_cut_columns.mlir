// many_rows_for_cut_columns, by JAX 0.10.2
// argument 0 = [[-0.01,1.05,0.74,0.72],[1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5],[-1.91,0.15,-0.91,1.78],[0.89,0.95,-0.06,0.61],[0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73],[0.77,-1.6,0.82,-0.63]]
// argument 1 = [[1,4,1,0],[5,5,2,1],[7,3,0,6],[2,2,6,4]]
// result 0 = [[[1.62,-1.21,-0.63,-1.32],[0.89,0.95,-0.06,0.61],[1.62,-1.21,-0.63,-1.32],[-0.01,1.05,0.74,0.72]],[[0.66,-0.34,-0.5,-0.11],[0.66,-0.34,-0.5,-0.11],[-0.11,1.,-0.02,0.5],[1.62,-1.21,-0.63,-1.32]],[[0.77,-1.6,0.82,-0.63],[-1.91,0.15,-0.91,1.78],[-0.01,1.05,0.74,0.72],[-0.61,-0.59,-0.28,-0.73]],[[-0.11,1.,-0.02,0.5],[-0.11,1.,-0.02,0.5],[-0.61,-0.59,-0.28,-0.73],[0.89,0.95,-0.06,0.61]]]
module @jit_many_rows_for_cut_columns attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4x4xf32> {jax.result_info = "result"}) {
    %0 = call @_take(%arg0, %arg1) : (tensor<8x4xf32>, tensor<4x4xi32>) -> tensor<4x4x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x4x4xf32>
    return %1 : tensor<4x4x4xf32>
  }
  func.func private @_take(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xi32>) -> tensor<4x4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<4x4xi32>) -> tensor<4x4x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<4x4x1xi32>) -> tensor<4x4x4xf32>
    return %1 : tensor<4x4x4xf32>
  }
}
