// scan over layers
!w = tensor<1x4x4xf32>
!x = tensor<8x4xf32>
!i = tensor<i32>
func.func @main(%x: !x, %w: tensor<6x4x4xf32>) -> !x {
 %c = stablehlo.constant dense<0> : !i
 %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %x) : !i, !x
 cond {
 %c_1 = stablehlo.constant dense<6> : !i
 %1 = stablehlo.compare  LT, %iterArg, %c_1,  SIGNED : (!i, !i) -> tensor<i1>
 stablehlo.return %1 : tensor<i1>
 } do {
 %1 = stablehlo.dynamic_slice %w, %iterArg, %c, %c, sizes = [1, 4, 4] : (tensor<6x4x4xf32>, !i, !i, !i) -> !w
 %2 = func.call @layer(%iterArg_0, %1) : (!x, !w) -> !x
 %c_1 = stablehlo.constant dense<1> : !i
 %3 = stablehlo.add %iterArg, %c_1 : !i
 stablehlo.return %3, %2 : !i, !x
 }
 return %0#1 : !x
}
func.func private @layer(%x: !x, %w: !w) -> !x {
 %0 = stablehlo.reshape %w : (!w) -> tensor<4x4xf32>
 %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (!x, tensor<4x4xf32>) -> !x
 return %1 : !x
}
