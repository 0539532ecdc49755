"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<16x64xf32>) -> tensor<16x64xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x64xf32>):
    %6 = "func.call"(%arg1) <{callee = @_roll_static}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    "func.return"(%6) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x64xf32>) -> tensor<16x64xf32>, res_attrs = [{}], sym_name = "_roll_static", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 64>, start_indices = array<i64: 13, 0>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<3x64xf32>
    %1 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 13, 64>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<13x64xf32>
    %2 = "stablehlo.concatenate"(%0, %1) <{dimension = 0 : i64}> : (tensor<3x64xf32>, tensor<13x64xf32>) -> tensor<16x64xf32>
    %3 = "stablehlo.slice"(%2) <{limit_indices = array<i64: 16, 64>, start_indices = array<i64: 0, 5>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x59xf32>
    %4 = "stablehlo.slice"(%2) <{limit_indices = array<i64: 16, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x64xf32>) -> tensor<16x5xf32>
    %5 = "stablehlo.concatenate"(%3, %4) <{dimension = 1 : i64}> : (tensor<16x59xf32>, tensor<16x5xf32>) -> tensor<16x64xf32>
    "func.return"(%5) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
