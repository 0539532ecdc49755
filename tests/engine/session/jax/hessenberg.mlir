// hessenberg, by JAX 0.10.2
// argument 0 = [[[-0.01,1.05,0.74,0.72],[1.62,-1.21,-0.63,-1.32],[-0.11,1.,-0.02,0.5],[-1.91,0.15,-0.91,1.78]],[[0.89,0.95,-0.06,0.61],[0.66,-0.34,-0.5,-0.11],[-0.61,-0.59,-0.28,-0.73],[0.77,-1.6,0.82,-0.63]],[[-0.55,-1.35,-0.14,-0.25],[0.19,-0.53,0.09,1.82],[0.41,-0.57,0.95,-0.13],[0.59,0.61,-0.39,-1.93]],[[-0.35,0.55,-0.38,0.44],[0.98,-0.54,1.23,1.62],[1.08,1.17,1.1,2.25],[0.19,0.,0.6,-0.91]]]
// result 0 = [[[-0.01,-0.09749037,0.7743418,1.2487556],[-2.5069103,1.079781,2.0677707,0.70882577],[-0.026654324,0.67441577,-0.37579626,-1.2972355],[-0.46281597,-0.61801237,0.7913115,-0.15398495]],[[0.89,-0.95760804,-0.15847346,-0.5797178],[-1.1834694,-0.78414965,0.4252972,-0.48049614],[-0.33089784,-1.6719369,0.07516432,-0.6311954],[0.41769066,0.5384809,-0.66905016,-0.54101455]],[[-0.55,0.6208548,0.99096406,0.7328914],[-0.74316883,-0.7641645,0.68108493,-0.5534019],[0.43936315,1.9675925,-1.698018,-0.15691465],[0.6322543,-0.9930087,-0.23401701,0.95218235]],[[-0.35,-0.14428705,0.6137574,0.49293318],[-1.4706801,1.9225101,1.0250287,-2.2898946],[0.44069397,0.7086548,-0.9411434,-0.18702716],[0.07752949,0.08214112,-0.26943794,-1.3313667]]]
// result 1 = [[1.6462138,1.4472415,0.],[1.5576823,1.5504336,0.],[1.255662,1.0070158,0.],[1.6663585,1.9865961,0.]]
module @jit_hessenberg attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x4x4xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}) {
    %0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=4, j=4, k=4, l=4, m=4, n=3}, custom>} : (tensor<4x4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x3xf32>, tensor<4xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare EQ, %0#2, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<4x4x4xi1>, tensor<4x4x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<4x3xi1>, tensor<4x3xf32>
    return %6, %10 : tensor<4x4x4xf32>, tensor<4x3xf32>
  }
}
