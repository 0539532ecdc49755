"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<32x64xi2>) -> tensor<32x64xi8>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<32x64xi2>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<32x64xi2>) -> tensor<32x64xi8>
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<i8>}> : () -> tensor<i8>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<32x64xi8>
    %3 = "stablehlo.add"(%0, %2) : (tensor<32x64xi8>, tensor<32x64xi8>) -> tensor<32x64xi8>
    "func.return"(%3) : (tensor<32x64xi8>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
