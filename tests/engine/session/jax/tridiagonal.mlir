// tridiagonal, by JAX 0.10.2
// argument 0 = [[[6.17,-2.7,1.4,0.78],[-2.7,10.23,-2.04,-5.05],[1.4,-2.04,5.26,1.27],[0.78,-5.05,1.27,11.67]],[[6.07,0.23,-1.53,-1.27],[0.23,4.81,0.02,0.71],[-1.53,0.02,5.33,0.7],[-1.27,0.71,0.7,8.22]],[[6.21,0.14,0.44,-0.61],[0.14,7.64,0.23,-3.76],[0.44,0.23,5.41,-0.23],[-0.61,-3.76,-0.23,8.6]],[[4.76,-0.39,0.84,-0.69],[-0.39,9.39,5.42,-0.55],[0.84,5.42,12.81,-1.18],[-0.69,-0.55,-1.18,5.22]]]
// result 0 = [[[6.17,-2.7,1.4,0.78],[3.1398091,13.33411,-2.04,-5.05],[-0.23973384,4.775645,9.362019,1.27],[-0.13356599,-0.7377548,0.19723472,4.463872]],[[6.07,0.23,-1.53,-1.27],[-2.0016744,7.0584188,0.02,0.71],[-0.6855839,1.6476359,6.6399574,0.7],[-0.5690794,-0.78923154,-0.12639484,4.661625]],[[6.21,0.14,0.44,-0.61],[-0.76504904,8.869278,0.23,-3.76],[0.4861615,-3.4524567,7.9584303,-0.23],[-0.6739966,-0.20403387,-0.7036962,4.8222895]],[[4.76,-0.39,0.84,-0.69],[1.1549026,7.851897,5.42,-0.55],[-0.5437236,-4.586649,14.598615,-1.18],[0.4466301,-0.085157864,0.24165477,4.969485]]]
// result 1 = [[6.17,13.33411,9.362019,4.463872],[6.07,7.0584188,6.6399574,4.661625],[6.21,8.869278,7.9584303,4.8222895],[4.76,7.851897,14.598615,4.969485]]
// result 2 = [[3.1398091,4.775645,0.19723472],[-2.0016744,1.6476359,-0.12639484],[-0.76504904,-3.4524567,-0.7036962],[1.1549026,-4.586649,0.24165477]]
// result 3 = [[1.859925,1.2951001,0.],[1.1149038,1.2323722,0.],[1.1829948,1.9200678,0.],[1.3376908,1.9856006,0.]]
module @jit_tridiagonal attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x4x4xf32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}, tensor<4x3xf32> {jax.result_info = "result[2]"}, tensor<4x3xf32> {jax.result_info = "result[3]"}) {
    %0:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o], [i, p], [i]) {i=4, j=4, k=4, l=4, m=4, n=4, o=3, p=3}, custom>} : (tensor<4x4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<4x4x4xi1>, tensor<4x4x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x3xi1>
    %14 = stablehlo.select %13, %0#2, %12 : tensor<4x3xi1>, tensor<4x3xf32>
    %15 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x3xi1>
    %18 = stablehlo.select %17, %0#3, %16 : tensor<4x3xi1>, tensor<4x3xf32>
    return %6, %10, %14, %18 : tensor<4x4x4xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
}
