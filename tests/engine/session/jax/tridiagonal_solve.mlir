// tridiagonal_solve, by JAX 0.10.2
// argument 0 = [-0.8,-1.32,-0.25,0.42,1.14]
// argument 1 = [3.2,2.6799998,3.75,4.42,5.14]
// argument 2 = [1.05,1.78,-2.55,-0.14,1.01]
// argument 3 = [[-0.8,0.24,-1.66,0.66],[1.14,-0.45,0.43,0.25],[-0.39,-0.86,-2.03,1.41],[-0.05,2.52,0.83,0.28],[-0.66,1.39,-0.51,1.57]]
// result 0 = [[-0.35189083,0.13819368,-0.5637439,0.22549747],[0.31052452,-0.1925903,0.13712431,-0.05865892],[-0.088034645,0.13963912,-0.3829411,0.39599022],[-0.0069651213,0.561488,0.2194862,0.035148278],[-0.12685989,0.14589566,-0.14790161,0.29765198]]
module @jit_tridiagonal_solve attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<5x4xf32> {jax.result_info = "result"}) {
    %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%arg0, %arg1, %arg2, %arg3) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n], [o], [p], [q, r], []) {i=5, j=5, k=5, l=5, m=4, n=5, o=5, p=5, q=5, r=4}, custom>} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x4xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x4xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x4xi1>
    %6 = stablehlo.select %5, %0#3, %4 : tensor<5x4xi1>, tensor<5x4xf32>
    return %6 : tensor<5x4xf32>
  }
}
