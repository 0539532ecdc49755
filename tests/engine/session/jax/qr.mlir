// qr, by JAX 0.10.2
// argument 0 = [[[0.03,1.36,1.22],[-0.51,-0.3,-0.53],[0.57,-0.06,0.75],[-1.85,1.57,-0.1]],[[0.68,-0.14,-0.38],[0.46,0.82,-0.2],[-0.15,0.69,-0.87],[-1.51,0.39,-0.67]],[[-1.92,-0.81,-0.47],[-1.19,-1.49,0.04],[0.9,-0.23,-0.74],[0.38,0.72,-0.3]],[[0.54,1.04,-0.21],[-0.81,0.35,0.25],[1.1,-1.28,-0.66],[-0.84,-1.73,0.13]]]
// result 0 = [[[-0.01498425,0.86821,0.035510015],[0.25473264,-0.4083013,-0.44347242],[-0.2847012,0.20774029,-0.88306075],[0.9240302,0.1906444,-0.14924777]],[[-0.39413834,0.0411391,-0.77142805],[-0.26662302,-0.7858887,0.36605522],[0.086942285,-0.59542274,-0.48547593],[0.8752189,-0.16173565,-0.18765843]],[[-0.78014636,0.21415637,-0.5359732],[-0.48352826,-0.6621951,0.1972457],[0.3656936,-0.5909453,-0.7052449],[0.15440397,0.40794396,-0.42006734]],[[-0.31912458,-0.40655774,-0.55991375],[0.47868693,-0.18332313,-0.7055966],[-0.6500687,0.583119,-0.39025828],[0.49641606,0.6790255,-0.19060035]]]
// result 1 = [[[-2.002099,1.3710111,-0.45921803],[0.,1.5901035,1.4123566],[0.,0.,-0.36900818]],[[-1.7252825,0.23787402,-0.4589393],[0.,-1.1241068,0.76792544],[0.,0.,0.76802677]],[[2.4610767,1.379437,0.030393213],[0.,1.2428411,0.18777506],[0.,0.,0.90769863]],[[-1.6921289,-0.19106102,0.6802674],[0.,-2.4080896,-0.2570389],[0.,0.,0.17397517]]]
// result 2 = [[[-2.002099,1.3710111,-0.45921803],[0.,1.5901035,1.4123566],[0.,0.,-0.36900818]],[[-1.7252825,0.23787402,-0.4589393],[0.,-1.1241068,0.76792544],[0.,0.,0.76802677]],[[2.4610767,1.379437,0.030393213],[0.,1.2428411,0.18777506],[0.,0.,0.90769863]],[[-1.6921289,-0.19106102,0.6802674],[0.,-2.4080896,-0.2570389],[0.,0.,0.17397517]]]
module @jit_qr attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x4x3xf32> {jax.result_info = "result[0]"}, tensor<4x3x3xf32> {jax.result_info = "result[1]"}, tensor<4x3x3xf32> {jax.result_info = "result[2]"}) {
    %0:2 = call @qr(%arg0) : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3x3xf32>)
    %1 = call @qr_0(%arg0) : (tensor<4x4x3xf32>) -> tensor<4x3x3xf32>
    return %0#0, %0#1, %1 : tensor<4x4x3xf32>, tensor<4x3x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @qr(%arg0: tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3x3xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=4, j=4, k=3, l=4, m=3, n=3}, custom>} : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=4, j=4, k=3, l=3, m=4, n=3}, custom>} : (tensor<4x4x3xf32>, tensor<4x3xf32>) -> tensor<4x4x3xf32>
    %2 = stablehlo.slice %0#0 [0:4, 0:3, 0:3] : (tensor<4x4x3xf32>) -> tensor<4x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<4x3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %10 = stablehlo.select %8, %9, %2 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    return %1, %10 : tensor<4x4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @qr_0(%arg0: tensor<4x4x3xf32>) -> tensor<4x3x3xf32> {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=4, j=4, k=3, l=4, m=3, n=3}, custom>} : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=4, j=4, k=3, l=3, m=4, n=3}, custom>} : (tensor<4x4x3xf32>, tensor<4x3xf32>) -> tensor<4x4x3xf32>
    %2 = stablehlo.slice %0#0 [0:4, 0:3, 0:3] : (tensor<4x4x3xf32>) -> tensor<4x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<4x3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %10 = stablehlo.select %8, %9, %2 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    return %10 : tensor<4x3x3xf32>
  }
}
