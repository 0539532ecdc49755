#loc = loc(unknown)
!row = tensor<4x8xbf16>
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%arg0: !row {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", ?}]>} loc("p"), %arg1: tensor<3x8x8xbf16>) -> (!row {jax.result_info = "out"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %h = %arg0) : tensor<i32>, !row
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %arg1, %i, %c, %c, sizes = [1, 8, 8] : (tensor<3x8x8xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xbf16>
      %2 = stablehlo.reshape %1 : (tensor<1x8x8xbf16>) -> tensor<8x8xbf16>
      %3 = func.call @layer(%h, %2) : (!row, tensor<8x8xbf16>) -> !row
      %one = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, !row
    } loc(#loc1)
    return %0#1 : !row
  }
  func.func private @layer(%h: !row, %w: tensor<8x8xbf16>) -> !row {
    %0 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (!row, tensor<8x8xbf16>) -> !row
    %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {"y"}]> : !row
    %2 = stablehlo.tanh i32 : !row
    return %2 : !row
  }
}
#loc1 = loc("while"("step.py":12:3 to :20))
