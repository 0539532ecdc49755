"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["d"=2, "t"=2, "p"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "d", size = 2 : i64}, {name = "t", size = 2 : i64}, {name = "p", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"t"}, {}, {"p"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"t"}, {"d"}, {"p"}, {}]>}], function_type = (tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x4x8x8xf32>, %arg1: tensor<4x4x8x8xf32>):
    %0 = "stablehlo.dot_general"(%arg1, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 2], rhs_contracting_dimensions = [1, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 2, 0, 3, 1>}> : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    "func.return"(%1) : (tensor<4x4x8x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
