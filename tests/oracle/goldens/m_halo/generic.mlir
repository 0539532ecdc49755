"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<32x8xf32>) -> tensor<32x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<32x8xf32>):
    %0 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg1: tensor<4x8xf32>):
      %1 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 3, 0>, strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
      %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
      %3 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
      %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<7x2xi64>}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
      %5 = "stablehlo.concatenate"(%2, %arg1, %4) <{dimension = 0 : i64}> : (tensor<1x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
      %6 = "stablehlo.slice"(%5) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<4x8xf32>
      %7 = "stablehlo.slice"(%5) <{limit_indices = array<i64: 5, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<4x8xf32>
      %8 = "stablehlo.add"(%6, %7) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %9 = "stablehlo.slice"(%5) <{limit_indices = array<i64: 6, 8>, start_indices = array<i64: 2, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<4x8xf32>
      %10 = "stablehlo.add"(%8, %9) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      "sdy.return"(%10) : (tensor<4x8xf32>) -> ()
    }) : (tensor<32x8xf32>) -> tensor<32x8xf32>
    "func.return"(%0) : (tensor<32x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
