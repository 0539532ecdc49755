// svd_full, by JAX 0.10.2
// argument 0 = [[[0.03,1.36,1.22,-0.51],[-0.3,-0.53,0.57,-0.06],[0.75,-1.85,1.57,-0.1]],[[0.68,-0.14,-0.38,0.46],[0.82,-0.2,-0.15,0.69],[-0.87,-1.51,0.39,-0.67]],[[-1.92,-0.81,-0.47,-1.19],[-1.49,0.04,0.9,-0.23],[-0.74,0.38,0.72,-0.3]],[[0.54,1.04,-0.21,-0.81],[0.35,0.25,1.1,-1.28],[-0.66,-0.84,-1.73,0.13]]]
// result 0 = [[[0.14936484,-0.9879741,0.039967034],[-0.2522633,-0.077158466,-0.96457756],[-0.95606154,-0.13399178,0.26075432]],[[0.3110146,0.5443822,-0.77904946],[0.3602407,0.6910127,0.6266804],[-0.8794867,0.47555196,-0.018806446]],[[0.80382717,0.5831325,0.117551714],[0.52743053,-0.6072662,-0.5941757],[0.27509797,-0.539615,0.795699]],[[0.31889454,0.8469013,-0.42551666],[0.6090758,0.16086489,0.7766266],[-0.72617686,0.5068339,0.46452826]]]
// result 1 = [[2.641837,1.8780882,0.5017796],[2.077422,1.1514145,0.21345723],[2.8503795,1.463684,0.31219816],[2.585232,1.315311,0.9188743]]
// result 2 = [[[-0.24107683,0.79700196,-0.55362296,0.013084056],[-0.056964908,-0.56166995,-0.77721345,0.27788645],[0.9688276,0.16578169,-0.18268022,0.022751177],[-0.0031844804,0.14775315,0.23678806,0.9602553]],[[0.61231697,0.58362466,-0.24801002,0.47216642],[0.4542935,-0.8098728,-0.10860714,0.3548633],[0.0022772572,0.05681992,0.9121367,0.40592268],[-0.647055,-0.01611486,-0.30773756,0.69739354]],[[-0.8885808,-0.18434937,0.10348067,-0.40710118],[0.12607059,-0.47939438,-0.82609016,-0.26807156],[0.22679566,0.5873886,-0.05478617,-0.7749431],[-0.378278,0.62543654,-0.5512398,0.40233004]],[[0.33445972,0.4231371,0.7192009,-0.43799713],[0.13618009,0.37652925,-0.6673102,-0.6279948],[-0.28790474,-0.6949636,0.15237556,-0.6410288],[0.8869625,-0.44295168,-0.1192832,0.05350576]]]
// result 3 = [[2.6418371,1.8780885,0.5017796],[2.077422,1.1514146,0.21345721],[2.8503795,1.4636836,0.3121982],[2.5852325,1.315311,0.9188743]]
module @jit_svd_full attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x3x3xf32> {jax.result_info = "result[0].U"}, tensor<4x3xf32> {jax.result_info = "result[0].S"}, tensor<4x4x4xf32> {jax.result_info = "result[0].Vh"}, tensor<4x3xf32> {jax.result_info = "result[1]"}) {
    %0:3 = call @svd(%arg0) : (tensor<4x3x4xf32>) -> (tensor<4x3x3xf32>, tensor<4x3xf32>, tensor<4x4x4xf32>)
    %1 = call @svd_0(%arg0) : (tensor<4x3x4xf32>) -> tensor<4x3xf32>
    return %0#0, %0#1, %0#2, %1 : tensor<4x3x3xf32>, tensor<4x3xf32>, tensor<4x4x4xf32>, tensor<4x3xf32>
  }
  func.func private @svd(%arg0: tensor<4x3x4xf32>) -> (tensor<4x3x3xf32>, tensor<4x3xf32>, tensor<4x4x4xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=4, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<4x3x4xf32>) -> (tensor<4x3x4xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>, tensor<4x4x4xf32>, tensor<4xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<4x3xi1>, tensor<4x3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x4xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x4x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<4x4x4xi1>, tensor<4x4x4xf32>
    return %10, %6, %14 : tensor<4x3x3xf32>, tensor<4x3xf32>, tensor<4x4x4xf32>
  }
  func.func private @svd_0(%arg0: tensor<4x3x4xf32>) -> tensor<4x3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=4, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<4x3x4xf32>) -> (tensor<4x3x4xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>, tensor<4x4x4xf32>, tensor<4xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<4x3xi1>, tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
}
