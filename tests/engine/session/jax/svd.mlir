// svd, by JAX 0.10.2
// argument 0 = [[[0.03,1.36,1.22],[-0.51,-0.3,-0.53],[0.57,-0.06,0.75],[-1.85,1.57,-0.1]],[[0.68,-0.14,-0.38],[0.46,0.82,-0.2],[-0.15,0.69,-0.87],[-1.51,0.39,-0.67]],[[-1.92,-0.81,-0.47],[-1.19,-1.49,0.04],[0.9,-0.23,-0.74],[0.38,0.72,-0.3]],[[0.54,1.04,-0.21],[-0.81,0.35,0.25],[1.1,-1.28,-0.66],[-0.84,-1.73,0.13]]]
// result 0 = [[[0.44081384,0.73282707,0.15466669],[0.011661313,-0.4097828,-0.5101065],[-0.11746029,0.4543305,-0.8269183],[0.88980347,-0.29770148,-0.17909661]],[[-0.23112196,-0.36666122,-0.75118613],[-0.0039121853,-0.67256916,0.60855615],[0.39766008,-0.61762094,-0.24121517],[0.88793784,0.17819759,-0.084818006]],[[-0.70875293,0.16842619,-0.64114],[-0.6291776,-0.40772593,0.38613826],[0.2034318,-0.88097394,-0.40350822],[0.24580579,0.17110471,-0.52632505]],[[-0.4366408,0.29242313,-0.5517848],[-0.12500669,-0.46962976,-0.7241797],[0.5090111,0.7249537,-0.36092705],[0.73118097,-0.41033953,-0.20206131]]]
// result 1 = [[2.6524854,1.915505,0.23121206],[1.8921872,1.324074,0.5945219],[2.897492,1.1002759,0.8708803],[2.4284213,1.8262026,0.15985283]]
// result 2 = [[[-0.6430993,0.7540276,0.13366207],[0.54329807,0.32624727,0.7735566],[0.53967625,0.5700921,-0.61947125]],[[-0.8241247,0.3434282,-0.4504174],[-0.55521584,-0.64712083,0.5224655],[-0.11204506,0.6806555,0.72398484]],[[0.8234781,0.56661254,0.028875154],[-0.5144534,0.7242779,0.4590847],[0.23920956,-0.39290103,0.8879231]],[[-0.077750325,-0.9941997,-0.07430789],[0.92018443,-0.0428779,-0.38912994],[0.3836867,-0.09863188,0.91818076]]]
module @jit_svd attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x4x3xf32> {jax.result_info = "result.U"}, tensor<4x3xf32> {jax.result_info = "result.S"}, tensor<4x3x3xf32> {jax.result_info = "result.Vh"}) {
    %0:3 = call @svd(%arg0) : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<4x4x3xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @svd(%arg0: tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=4, j=4, k=3, l=4, m=3, n=3, o=4, p=3, q=3, r=3}, custom>} : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>, tensor<4xi32>)
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
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x4x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<4x4x3xi1>, tensor<4x4x3xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    return %10, %6, %14 : tensor<4x4x3xf32>, tensor<4x3xf32>, tensor<4x3x3xf32>
  }
}
