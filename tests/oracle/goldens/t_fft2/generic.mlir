"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}], function_type = (tensor<8x16x32xcomplex<f32>>) -> tensor<8x16x32xcomplex<f32>>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<8x16x32xcomplex<f32>>):
    %1 = "func.call"(%arg1) <{callee = @fft}> : (tensor<8x16x32xcomplex<f32>>) -> tensor<8x16x32xcomplex<f32>>
    "func.return"(%1) : (tensor<8x16x32xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x16x32xcomplex<f32>>) -> tensor<8x16x32xcomplex<f32>>, res_attrs = [{}], sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x16x32xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 16, 32>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<8x16x32xcomplex<f32>>) -> tensor<8x16x32xcomplex<f32>>
    "func.return"(%0) : (tensor<8x16x32xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
