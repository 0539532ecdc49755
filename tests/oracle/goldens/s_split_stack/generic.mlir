"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<16x64xf32>) -> tensor<4x16x16xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x16xf32>
    %1 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 32>, start_indices = array<i64: 0, 16>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x16xf32>
    %2 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 48>, start_indices = array<i64: 0, 32>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x16xf32>
    %3 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 64>, start_indices = array<i64: 0, 48>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x16xf32>
    %4 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %5 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %6 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %7 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %8 = "stablehlo.concatenate"(%4, %5, %6, %7) <{dimension = 0 : i64}> : (tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<4x16x16xf32>
    "func.return"(%8) : (tensor<4x16x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
