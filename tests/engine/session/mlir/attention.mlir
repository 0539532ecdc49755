// attention, GSPMD
!q = tensor<8x4x2xf32>
!s = tensor<8x4x4xf32>
func.func @main(%q: !q {mhlo.sharding = "{devices=[4,1,1]<=[4]}"}, %k: !q, %v: !q) -> !q {
 %cst = stablehlo.constant dense<0.0> : tensor<f32>
 %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (!q, !q) -> !s loc(#loc1)
 %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[4,1,1]<=[4]}"} : (!s) -> !s
 %2 = stablehlo.exponential %1 : !s
 %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (!s, tensor<f32>) -> tensor<8x4xf32>
 %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x4xf32>) -> !s
 %5 = stablehlo.divide %2, %4 : !s
 %6 = stablehlo.dot_general %5, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (!s, !q) -> !q
 return %6 : !q
}
#loc1 = loc("qk"("attn.py":7:6 to :30))
