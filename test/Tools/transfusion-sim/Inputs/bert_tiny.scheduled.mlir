module {
  sched.arch @tiny clock_hz 940000000 {
    sched.memory @dram bandwidth_bytes_per_s 1073741824 energy_pj_per_byte 31.2
    sched.memory @buffer in @dram capacity_bytes 12288 read_energy_pj_per_byte 24.4390625 write_energy_pj_per_byte 30.7646484375
    sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac) whole_einsum
    sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, max cycles 1 pj 0.028, div cycles 1 pj 36.25, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac, sigmoid = 6 mac + 1 add + 1 div, tanh = 7 mac + 2 add + 1 div, erf = 12 mac + 1 div + 1 max) whole_einsum
  }
  func.func @bert_tiny(%arg0: tensor<2x29x48xf32>, %arg1: tensor<2x1x1x29xf32>, %arg2: tensor<48x48xf32>, %arg3: tensor<48xf32>, %arg4: tensor<48x48xf32>, %arg5: tensor<48xf32>, %arg6: tensor<48x48xf32>, %arg7: tensor<48xf32>, %arg8: tensor<48x48xf32>, %arg9: tensor<48xf32>, %arg10: tensor<48xf32>, %arg11: tensor<48xf32>, %arg12: tensor<96x48xf32>, %arg13: tensor<96xf32>, %arg14: tensor<48x96xf32>, %arg15: tensor<48xf32>, %arg16: tensor<48xf32>, %arg17: tensor<48xf32>) -> tensor<2x29x48xf32> {
    %0 = einsum.cascade ranks(b = 2, p = 29, d = 48, h = 4, e = 12, m = 29, f = 12, m1 = 8 iterative, m0 = 4, s = 96) {
      %Q = einsum.map_reduce "Q" [b,h,p,e] from %arg0[b,p,d], %arg2[h*12+e,d] map arith.mulf reduce add over [d] finish from %arg3[h*12+e] arith.addf : (tensor<2x29x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x4x29x12xf32>
      %BK = einsum.map_reduce "BK" [b,h,m,e] from %arg0[b,m,d], %arg4[h*12+e,d] map arith.mulf reduce add over [d] finish from %arg5[h*12+e] arith.addf : (tensor<2x29x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x4x29x12xf32>
      %BV = einsum.map_reduce "BV" [b,h,m,f] from %arg0[b,m,d], %arg6[h*12+f,d] map arith.mulf reduce add over [d] finish from %arg7[h*12+f] arith.addf : (tensor<2x29x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x4x29x12xf32>
      %QK = einsum.map_reduce "QK" [b,h,m1,m0,p] from %Q[b,h,p,e], %BK[b,h,m1*4+m0,e] map arith.mulf reduce add over [e] finish from %arg1[b,0,0,m1*4+m0] {
      ^bb0(%arg18: f32, %arg19: f32):
        %cst = arith.constant 0.288675129 : f32
        %1 = arith.mulf %arg18, %cst : f32
        %2 = arith.addf %1, %arg19 : f32
        einsum.yield %2 : f32
      } where m1*4 + m0 < 29 : (tensor<2x4x29x12xf32>, tensor<2x4x29x12xf32>, tensor<2x1x1x29xf32>) -> tensor<2x4x8x4x29xf32>
      %LM = einsum.map_reduce "LM" [b,h,m1,p] from %QK[b,h,m1,m0,p] reduce max over [m0] : (tensor<2x4x8x4x29xf32>) -> tensor<2x4x8x29xf32>
      %RM = einsum.map_reduce "RM" [b,h,m1+1,p] from %RM[b,h,m1,p], %LM[b,h,m1,p] map arith.maximumf init -inf : (tensor<2x4x9x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x9x29xf32>
      %RMG = einsum.map_reduce "RMG" [b,h,m1,p] from %RM[b,h,m1+1,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0xFF800000 : f32
        %cst_0 = arith.constant 0.000000e+00 : f32
        %1 = arith.cmpf oeq, %arg18, %cst : f32
        %2 = arith.select %1, %cst_0, %arg18 : f32
        einsum.yield %2 : f32
      } : (tensor<2x4x9x29xf32>) -> tensor<2x4x8x29xf32>
      %SLN = einsum.map_reduce "SLN" [b,h,m1,m0,p] from %QK[b,h,m1,m0,p], %RMG[b,h,m1,p] map {
      ^bb0(%arg18: f32, %arg19: f32):
        %1 = arith.subf %arg18, %arg19 : f32
        %2 = math.exp %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x4x8x4x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x8x4x29xf32>
      %SLD = einsum.map_reduce "SLD" [b,h,m1,p] from %SLN[b,h,m1,m0,p] reduce add over [m0] : (tensor<2x4x8x4x29xf32>) -> tensor<2x4x8x29xf32>
      %SLNV = einsum.map_reduce "SLNV" [b,h,f,m1,p] from %SLN[b,h,m1,m0,p], %BV[b,h,m1*4+m0,f] map arith.mulf reduce add over [m0] : (tensor<2x4x8x4x29xf32>, tensor<2x4x29x12xf32>) -> tensor<2x4x12x8x29xf32>
      %PRM = einsum.map_reduce "PRM" [b,h,m1,p] from %RM[b,h,m1,p], %RMG[b,h,m1,p] map {
      ^bb0(%arg18: f32, %arg19: f32):
        %1 = arith.subf %arg18, %arg19 : f32
        %2 = math.exp %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x4x9x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x8x29xf32>
      %SPD = einsum.map_reduce "SPD" [b,h,m1,p] from %RD[b,h,m1,p], %PRM[b,h,m1,p] map arith.mulf : (tensor<2x4x9x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x8x29xf32>
      %RD = einsum.map_reduce "RD" [b,h,m1+1,p] from %SLD[b,h,m1,p], %SPD[b,h,m1,p] map arith.addf init 0.000000e+00 : f32 : (tensor<2x4x8x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x9x29xf32>
      %SPNV = einsum.map_reduce "SPNV" [b,h,f,m1,p] from %RNV[b,h,f,m1,p], %PRM[b,h,m1,p] map arith.mulf : (tensor<2x4x12x9x29xf32>, tensor<2x4x8x29xf32>) -> tensor<2x4x12x8x29xf32>
      %RNV = einsum.map_reduce "RNV" [b,h,f,m1+1,p] from %SLNV[b,h,f,m1,p], %SPNV[b,h,f,m1,p] map arith.addf init 0.000000e+00 : f32 : (tensor<2x4x12x8x29xf32>, tensor<2x4x12x8x29xf32>) -> tensor<2x4x12x9x29xf32>
      %AV = einsum.map_reduce "AV" [b,h,p,f] from %RNV[b,h,f,8,p], %RD[b,h,8,p] map arith.divf : (tensor<2x4x12x9x29xf32>, tensor<2x4x9x29xf32>) -> tensor<2x4x29x12xf32>
      %O = einsum.map_reduce "O" [b,p,d] from %AV[b,h,p,f], %arg8[d,h*12+f] map arith.mulf reduce add over [h,f] finish from %arg9[d] arith.addf : (tensor<2x4x29x12xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
      %ln1.IAV = einsum.map_reduce "ln1.IAV" [b,p,d] from %arg0[b,p,d], %O[b,p,d] map arith.addf : (tensor<2x29x48xf32>, tensor<2x29x48xf32>) -> tensor<2x29x48xf32>
      %ln1.SAV = einsum.map_reduce "ln1.SAV" [b,p] from %ln1.IAV[b,p,d] reduce add over [d] : (tensor<2x29x48xf32>) -> tensor<2x29xf32>
      %ln1.MAV = einsum.map_reduce "ln1.MAV" [b,p] from %ln1.SAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0.020833334 : f32
        %1 = arith.mulf %arg18, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln1.DAV = einsum.map_reduce "ln1.DAV" [b,p,d] from %ln1.IAV[b,p,d], %ln1.MAV[b,p] map arith.subf : (tensor<2x29x48xf32>, tensor<2x29xf32>) -> tensor<2x29x48xf32>
      %ln1.QAV = einsum.map_reduce "ln1.QAV" [b,p,d] from %ln1.DAV[b,p,d] map {
      ^bb0(%arg18: f32):
        %1 = arith.mulf %arg18, %arg18 : f32
        einsum.yield %1 : f32
      } : (tensor<2x29x48xf32>) -> tensor<2x29x48xf32>
      %ln1.SQAV = einsum.map_reduce "ln1.SQAV" [b,p] from %ln1.QAV[b,p,d] reduce add over [d] : (tensor<2x29x48xf32>) -> tensor<2x29xf32>
      %ln1.MQAV = einsum.map_reduce "ln1.MQAV" [b,p] from %ln1.SQAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0.020833334 : f32
        %1 = arith.mulf %arg18, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln1.SR = einsum.map_reduce "ln1.SR" [b,p] from %ln1.MQAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 9.99999996E-13 : f32
        %1 = arith.addf %arg18, %cst : f32
        %2 = math.rsqrt %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln1.NR = einsum.map_reduce "ln1.NR" [b,p,d] from %ln1.DAV[b,p,d], %ln1.SR[b,p], %arg10[d], %arg11[d] map {
      ^bb0(%arg18: f32, %arg19: f32, %arg20: f32, %arg21: f32):
        %1 = arith.mulf %arg18, %arg19 : f32
        %2 = arith.mulf %1, %arg20 : f32
        %3 = arith.addf %2, %arg21 : f32
        einsum.yield %3 : f32
      } : (tensor<2x29x48xf32>, tensor<2x29xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
      %FFN1 = einsum.map_reduce "FFN1" [b,p,s] from %ln1.NR[b,p,d], %arg12[s,d] map arith.mulf reduce add over [d] finish from %arg13[s] arith.addf : (tensor<2x29x48xf32>, tensor<96x48xf32>, tensor<96xf32>) -> tensor<2x29x96xf32>
      %AR = einsum.map_reduce "AR" [b,p,s] from %FFN1[b,p,s] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0.707106769 : f32
        %1 = arith.mulf %arg18, %cst : f32
        %2 = math.erf %1 : f32
        %cst_0 = arith.constant 5.000000e-01 : f32
        %3 = arith.mulf %arg18, %cst_0 : f32
        %cst_1 = arith.constant 1.000000e+00 : f32
        %4 = arith.addf %2, %cst_1 : f32
        %5 = arith.mulf %3, %4 : f32
        einsum.yield %5 : f32
      } : (tensor<2x29x96xf32>) -> tensor<2x29x96xf32>
      %FFN2 = einsum.map_reduce "FFN2" [b,p,d] from %AR[b,p,s], %arg14[d,s] map arith.mulf reduce add over [s] finish from %arg15[d] arith.addf : (tensor<2x29x96xf32>, tensor<48x96xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
      %ln2.IAV = einsum.map_reduce "ln2.IAV" [b,p,d] from %ln1.NR[b,p,d], %FFN2[b,p,d] map arith.addf : (tensor<2x29x48xf32>, tensor<2x29x48xf32>) -> tensor<2x29x48xf32>
      %ln2.SAV = einsum.map_reduce "ln2.SAV" [b,p] from %ln2.IAV[b,p,d] reduce add over [d] : (tensor<2x29x48xf32>) -> tensor<2x29xf32>
      %ln2.MAV = einsum.map_reduce "ln2.MAV" [b,p] from %ln2.SAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0.020833334 : f32
        %1 = arith.mulf %arg18, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln2.DAV = einsum.map_reduce "ln2.DAV" [b,p,d] from %ln2.IAV[b,p,d], %ln2.MAV[b,p] map arith.subf : (tensor<2x29x48xf32>, tensor<2x29xf32>) -> tensor<2x29x48xf32>
      %ln2.QAV = einsum.map_reduce "ln2.QAV" [b,p,d] from %ln2.DAV[b,p,d] map {
      ^bb0(%arg18: f32):
        %1 = arith.mulf %arg18, %arg18 : f32
        einsum.yield %1 : f32
      } : (tensor<2x29x48xf32>) -> tensor<2x29x48xf32>
      %ln2.SQAV = einsum.map_reduce "ln2.SQAV" [b,p] from %ln2.QAV[b,p,d] reduce add over [d] : (tensor<2x29x48xf32>) -> tensor<2x29xf32>
      %ln2.MQAV = einsum.map_reduce "ln2.MQAV" [b,p] from %ln2.SQAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 0.020833334 : f32
        %1 = arith.mulf %arg18, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln2.SR = einsum.map_reduce "ln2.SR" [b,p] from %ln2.MQAV[b,p] map {
      ^bb0(%arg18: f32):
        %cst = arith.constant 9.99999996E-13 : f32
        %1 = arith.addf %arg18, %cst : f32
        %2 = math.rsqrt %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x29xf32>) -> tensor<2x29xf32>
      %ln2.NR = einsum.map_reduce "ln2.NR" [b,p,d] from %ln2.DAV[b,p,d], %ln2.SR[b,p], %arg16[d], %arg17[d] map {
      ^bb0(%arg18: f32, %arg19: f32, %arg20: f32, %arg21: f32):
        %1 = arith.mulf %arg18, %arg19 : f32
        %2 = arith.mulf %1, %arg20 : f32
        %3 = arith.addf %2, %arg21 : f32
        einsum.yield %3 : f32
      } : (tensor<2x29x48xf32>, tensor<2x29xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
      einsum.yield %ln2.NR : tensor<2x29x48xf32>
    } -> tensor<2x29x48xf32>
    return %0 : tensor<2x29x48xf32>
  }
  sched.schedule @bert_tiny_tiny of @bert_tiny on @tiny #sched.search<policy transfusion, strategy bipartition, objective latency, mode mcts, seed 1, budget 64, evaluations 64> {
    sched.group tile(b = 2, m = 16) retain("%arg5" at group) {
      sched.phase order [h, e, b, m] block(e = 4) inner(b = 1, h = 1, e = 4, m = 4) {
        sched.run @mac2d [#sched.slot<"BK", stage 0, rows [m], cols [h, e]>]
      }
      sched.phase order [h, f, b, m] block(f = 4) inner(b = 1, h = 2, m = 4, f = 4) {
        sched.run @mac2d [#sched.slot<"BV", stage 0, rows [m], cols [h, f]>]
      }
    }
    sched.group tile(b = 2, p = 5) retain("%arg3" at group, "%arg1" at group, "%arg10" at group) {
      sched.phase order [h, e, b, p] block(e = 2) inner(b = 1, p = 1, h = 2, e = 2) {
        sched.run @mac2d [#sched.slot<"Q", stage 0, rows [p], cols [h, e]>]
      }
      sched.phase order [h, b, p, m1] block(b = 1) inner(b = 1, p = 1, h = 1, m1 = 1) {
        sched.run @mac2d [#sched.slot<"PRM", stage 1, rows [p], cols [h]>, #sched.slot<"QK", stage 0, rows [p], cols [m0]>, #sched.slot<"SLD", stage 1, rows [p], cols [m0]>, #sched.slot<"SPD", stage 1, rows [p], cols [h]>, #sched.slot<"RNV", stage 1, rows [p], cols [h]>]
        sched.run @vec1d [#sched.slot<"SLNV", stage 1, rows [p], cols [m0]>, #sched.slot<"SPNV", stage 1, rows [p], cols [h]>, #sched.slot<"LM", stage 0, rows [p], cols [m0]>, #sched.slot<"RM", stage 0, rows [p], cols [h]>, #sched.slot<"RMG", stage 0, rows [p], cols [h]>, #sched.slot<"SLN", stage 0, rows [p], cols [m0]>, #sched.slot<"RD", stage 1, rows [p], cols [h]>]
      }
      sched.phase order [h, f, b, p] inner(b = 1, p = 1, h = 2, f = 8) {
        sched.run @vec1d [#sched.slot<"AV", stage 0, rows [p], cols [f]>]
      }
      sched.phase order [d, b, p] block(p = 1, d = 8) inner(b = 1, p = 1, d = 8) {
        sched.run @mac2d [#sched.slot<"ln1.IAV", stage 1, rows [p], cols [d]>]
        sched.run @vec1d [#sched.slot<"O", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [b, p] inner(b = 1, p = 1) {
        sched.run @mac2d [#sched.slot<"ln1.SAV", stage 0, rows [p], cols [d]>, #sched.slot<"ln1.MAV", stage 0, rows [p]>, #sched.slot<"ln1.SR", stage 1, rows [p]>]
        sched.run @vec1d [#sched.slot<"ln1.QAV", stage 1, rows [p], cols [d]>, #sched.slot<"ln1.SQAV", stage 1, rows [p], cols [d]>, #sched.slot<"ln1.MQAV", stage 1, rows [p]>, #sched.slot<"ln1.DAV", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [d, b, p] block(d = 2) inner(b = 1, p = 1, d = 2) {
        sched.run @mac2d [#sched.slot<"ln1.NR", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [s, b, p] block(s = 8) inner(b = 1, p = 1, s = 8) {
        sched.run @vec1d [#sched.slot<"FFN1", stage 0, rows [p], cols [s]>, #sched.slot<"AR", stage 0, rows [p], cols [s]>]
      }
      sched.phase order [d, b, p] block(d = 2) inner(b = 1, p = 1, d = 2) {
        sched.run @mac2d [#sched.slot<"FFN2", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [b, p] inner(b = 1, p = 1) {
        sched.run @mac2d [#sched.slot<"ln2.MAV", stage 1, rows [p]>]
        sched.run @vec1d [#sched.slot<"ln2.IAV", stage 0, rows [p], cols [d]>, #sched.slot<"ln2.SAV", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [b, p] inner(b = 1, p = 1) {
        sched.run @mac2d [#sched.slot<"ln2.MQAV", stage 1, rows [p]>, #sched.slot<"ln2.SR", stage 1, rows [p]>]
        sched.run @vec1d [#sched.slot<"ln2.DAV", stage 0, rows [p], cols [d]>, #sched.slot<"ln2.QAV", stage 0, rows [p], cols [d]>, #sched.slot<"ln2.SQAV", stage 0, rows [p], cols [d]>]
      }
      sched.phase order [d, b, p] block(d = 2) inner(b = 1, p = 1, d = 2) {
        sched.run @mac2d [#sched.slot<"ln2.NR", stage 0, rows [p], cols [d]>]
      }
    }
  }
}

