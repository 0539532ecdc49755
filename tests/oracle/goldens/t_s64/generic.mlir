"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x8xi64>) -> tensor<16x8xi64>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<16x8xi64>):
    %5 = "stablehlo.constant"() <{value = dense<10000000000> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<16x8xi64>
    %7 = "stablehlo.multiply"(%arg4, %6) : (tensor<16x8xi64>, tensor<16x8xi64>) -> tensor<16x8xi64>
    %8 = "func.call"(%7) <{callee = @cumsum}> : (tensor<16x8xi64>) -> tensor<16x8xi64>
    "func.return"(%8) : (tensor<16x8xi64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x8xi64>) -> tensor<16x8xi64>, res_attrs = [{}], sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x8xi64>):
    %4 = "func.call"(%arg3) <{callee = @cumsum_0}> : (tensor<16x8xi64>) -> tensor<16x8xi64>
    "func.return"(%4) : (tensor<16x8xi64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x8xi64>) -> tensor<16x8xi64>, sym_name = "cumsum_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x8xi64>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<i64>
    %2 = "stablehlo.reduce_window"(%arg0, %1) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
      %3 = "stablehlo.add"(%arg1, %arg2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%3) : (tensor<i64>) -> ()
    }) : (tensor<16x8xi64>, tensor<i64>) -> tensor<16x8xi64>
    "func.return"(%2) : (tensor<16x8xi64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
