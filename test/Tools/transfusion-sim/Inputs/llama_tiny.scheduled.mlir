module {
  sched.arch @"edge-32" clock_hz 940000000 {
    sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
    sched.memory @buffer in @dram capacity_bytes 5242880 read_energy_pj_per_byte 24.4390625 write_energy_pj_per_byte 30.7646484375
    sched.unit @mac2d grid 32x32 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac) whole_einsum
    sched.unit @vec1d lanes 256 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, max cycles 1 pj 0.028, div cycles 1 pj 36.25, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac, sigmoid = 6 mac + 1 add + 1 div, tanh = 7 mac + 2 add + 1 div, erf = 12 mac + 1 div + 1 max) whole_einsum
  }
  func.func @llama_tiny(%arg0: tensor<2x23x64xf32>, %arg1: tensor<1x23x8xf32>, %arg2: tensor<1x23x8xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<16x64xf32>, %arg5: tensor<16x64xf32>, %arg6: tensor<64x64xf32>, %arg7: tensor<88x64xf32>, %arg8: tensor<88x64xf32>, %arg9: tensor<64x88xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>) -> tensor<2x23x64xf32> {
    %0 = einsum.cascade ranks(b = 2, p = 23, d = 64, kv = 2, g = 4, e1 = 2, e0 = 4, m = 23, f = 8, m1 = 1 iterative, m0 = 23, s = 88) {
      %rms1.QAV = einsum.map_reduce "rms1.QAV" [b,p,d] from %arg0[b,p,d] map {
      ^bb0(%arg12: f32):
        %1 = arith.mulf %arg12, %arg12 : f32
        einsum.yield %1 : f32
      } : (tensor<2x23x64xf32>) -> tensor<2x23x64xf32>
      %rms1.SQAV = einsum.map_reduce "rms1.SQAV" [b,p] from %rms1.QAV[b,p,d] reduce add over [d] : (tensor<2x23x64xf32>) -> tensor<2x23xf32>
      %rms1.MQAV = einsum.map_reduce "rms1.MQAV" [b,p] from %rms1.SQAV[b,p] map {
      ^bb0(%arg12: f32):
        %cst = arith.constant 1.562500e-02 : f32
        %1 = arith.mulf %arg12, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x23xf32>) -> tensor<2x23xf32>
      %rms1.SR = einsum.map_reduce "rms1.SR" [b,p] from %rms1.MQAV[b,p] map {
      ^bb0(%arg12: f32):
        %cst = arith.constant 9.99999997E-7 : f32
        %1 = arith.addf %arg12, %cst : f32
        %2 = math.rsqrt %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x23xf32>) -> tensor<2x23xf32>
      %rms1.NR = einsum.map_reduce "rms1.NR" [b,p,d] from %arg0[b,p,d], %rms1.SR[b,p], %arg10[d] map {
      ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
        %1 = arith.mulf %arg12, %arg13 : f32
        %2 = arith.mulf %1, %arg14 : f32
        einsum.yield %2 : f32
      } : (tensor<2x23x64xf32>, tensor<2x23xf32>, tensor<64xf32>) -> tensor<2x23x64xf32>
      %Q = einsum.map_reduce "Q" [b,kv,g,p,e1,e0] from %rms1.NR[b,p,d], %arg3[((kv*4+g)*2+e1)*4+e0,d] map arith.mulf reduce add over [d] : (tensor<2x23x64xf32>, tensor<64x64xf32>) -> tensor<2x2x4x23x2x4xf32>
      %BK = einsum.map_reduce "BK" [b,kv,m,e1,e0] from %rms1.NR[b,m,d], %arg4[(kv*2+e1)*4+e0,d] map arith.mulf reduce add over [d] : (tensor<2x23x64xf32>, tensor<16x64xf32>) -> tensor<2x2x23x2x4xf32>
      %BV = einsum.map_reduce "BV" [b,kv,m,f] from %rms1.NR[b,m,d], %arg5[kv*8+f,d] map arith.mulf reduce add over [d] : (tensor<2x23x64xf32>, tensor<16x64xf32>) -> tensor<2x2x23x8xf32>
      %rope1.ROPE = einsum.map_reduce "rope1.ROPE" [b,kv,g,p,e1,e0] from %Q[b,kv,g,p,e1,e0], %Q[b,kv,g,p,1-e1,e0], %arg1[0,p,e1*4+e0], %arg2[0,p,e1*4+e0] map {
      ^bb0(%arg12: f32, %arg13: f32, %arg14: f32, %arg15: f32):
        %1 = einsum.index "e1"
        %2 = arith.index_cast %1 : index to i32
        %3 = arith.sitofp %2 : i32 to f32
        %cst = arith.constant 2.000000e+00 : f32
        %4 = arith.mulf %3, %cst : f32
        %cst_0 = arith.constant 1.000000e+00 : f32
        %5 = arith.subf %4, %cst_0 : f32
        %6 = arith.mulf %arg13, %arg15 : f32
        %7 = arith.mulf %6, %5 : f32
        %8 = arith.mulf %arg12, %arg14 : f32
        %9 = arith.addf %8, %7 : f32
        einsum.yield %9 : f32
      } : (tensor<2x2x4x23x2x4xf32>, tensor<2x2x4x23x2x4xf32>, tensor<1x23x8xf32>, tensor<1x23x8xf32>) -> tensor<2x2x4x23x2x4xf32>
      %rope2.ROPE = einsum.map_reduce "rope2.ROPE" [b,kv,m,e1,e0] from %BK[b,kv,m,e1,e0], %BK[b,kv,m,1-e1,e0], %arg1[0,m,e1*4+e0], %arg2[0,m,e1*4+e0] map {
      ^bb0(%arg12: f32, %arg13: f32, %arg14: f32, %arg15: f32):
        %1 = einsum.index "e1"
        %2 = arith.index_cast %1 : index to i32
        %3 = arith.sitofp %2 : i32 to f32
        %cst = arith.constant 2.000000e+00 : f32
        %4 = arith.mulf %3, %cst : f32
        %cst_0 = arith.constant 1.000000e+00 : f32
        %5 = arith.subf %4, %cst_0 : f32
        %6 = arith.mulf %arg13, %arg15 : f32
        %7 = arith.mulf %6, %5 : f32
        %8 = arith.mulf %arg12, %arg14 : f32
        %9 = arith.addf %8, %7 : f32
        einsum.yield %9 : f32
      } : (tensor<2x2x23x2x4xf32>, tensor<2x2x23x2x4xf32>, tensor<1x23x8xf32>, tensor<1x23x8xf32>) -> tensor<2x2x23x2x4xf32>
      %QK = einsum.map_reduce "QK" [b,kv,g,m1,m0,p] from %rope1.ROPE[b,kv,g,p,e1,e0], %rope2.ROPE[b,kv,m1*23+m0,e1,e0] map arith.mulf reduce add over [e1,e0] finish {
      ^bb0(%arg12: f32):
        %cst = arith.constant 0.353553385 : f32
        %1 = arith.mulf %arg12, %cst : f32
        einsum.yield %1 : f32
      } where m1*23 + m0 <= p : (tensor<2x2x4x23x2x4xf32>, tensor<2x2x23x2x4xf32>) -> tensor<2x2x4x1x23x23xf32>
      %LM = einsum.map_reduce "LM" [b,kv,g,m1,p] from %QK[b,kv,g,m1,m0,p] reduce max over [m0] : (tensor<2x2x4x1x23x23xf32>) -> tensor<2x2x4x1x23xf32>
      %RM = einsum.map_reduce "RM" [b,kv,g,m1+1,p] from %RM[b,kv,g,m1,p], %LM[b,kv,g,m1,p] map arith.maximumf init -inf : (tensor<2x2x4x2x23xf32>, tensor<2x2x4x1x23xf32>) -> tensor<2x2x4x2x23xf32>
      %SLN = einsum.map_reduce "SLN" [b,kv,g,m1,m0,p] from %QK[b,kv,g,m1,m0,p], %RM[b,kv,g,m1+1,p] map {
      ^bb0(%arg12: f32, %arg13: f32):
        %1 = arith.subf %arg12, %arg13 : f32
        %2 = math.exp %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x2x4x1x23x23xf32>, tensor<2x2x4x2x23xf32>) -> tensor<2x2x4x1x23x23xf32>
      %SLD = einsum.map_reduce "SLD" [b,kv,g,m1,p] from %SLN[b,kv,g,m1,m0,p] reduce add over [m0] : (tensor<2x2x4x1x23x23xf32>) -> tensor<2x2x4x1x23xf32>
      %SLNV = einsum.map_reduce "SLNV" [b,kv,g,f,m1,p] from %SLN[b,kv,g,m1,m0,p], %BV[b,kv,m1*23+m0,f] map arith.mulf reduce add over [m0] : (tensor<2x2x4x1x23x23xf32>, tensor<2x2x23x8xf32>) -> tensor<2x2x4x8x1x23xf32>
      %PRM = einsum.map_reduce "PRM" [b,kv,g,m1,p] from %RM[b,kv,g,m1,p], %RM[b,kv,g,m1+1,p] map {
      ^bb0(%arg12: f32, %arg13: f32):
        %1 = arith.subf %arg12, %arg13 : f32
        %2 = math.exp %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x2x4x2x23xf32>, tensor<2x2x4x2x23xf32>) -> tensor<2x2x4x1x23xf32>
      %SPD = einsum.map_reduce "SPD" [b,kv,g,m1,p] from %RD[b,kv,g,m1,p], %PRM[b,kv,g,m1,p] map arith.mulf : (tensor<2x2x4x2x23xf32>, tensor<2x2x4x1x23xf32>) -> tensor<2x2x4x1x23xf32>
      %RD = einsum.map_reduce "RD" [b,kv,g,m1+1,p] from %SLD[b,kv,g,m1,p], %SPD[b,kv,g,m1,p] map arith.addf init 0.000000e+00 : f32 : (tensor<2x2x4x1x23xf32>, tensor<2x2x4x1x23xf32>) -> tensor<2x2x4x2x23xf32>
      %SPNV = einsum.map_reduce "SPNV" [b,kv,g,f,m1,p] from %RNV[b,kv,g,f,m1,p], %PRM[b,kv,g,m1,p] map arith.mulf : (tensor<2x2x4x8x2x23xf32>, tensor<2x2x4x1x23xf32>) -> tensor<2x2x4x8x1x23xf32>
      %RNV = einsum.map_reduce "RNV" [b,kv,g,f,m1+1,p] from %SLNV[b,kv,g,f,m1,p], %SPNV[b,kv,g,f,m1,p] map arith.addf init 0.000000e+00 : f32 : (tensor<2x2x4x8x1x23xf32>, tensor<2x2x4x8x1x23xf32>) -> tensor<2x2x4x8x2x23xf32>
      %AV = einsum.map_reduce "AV" [b,kv,g,p,f] from %RNV[b,kv,g,f,1,p], %RD[b,kv,g,1,p] map arith.divf : (tensor<2x2x4x8x2x23xf32>, tensor<2x2x4x2x23xf32>) -> tensor<2x2x4x23x8xf32>
      %O = einsum.map_reduce "O" [b,p,d] from %AV[b,kv,g,p,f], %arg6[d,(kv*4+g)*8+f] map arith.mulf reduce add over [kv,g,f] : (tensor<2x2x4x23x8xf32>, tensor<64x64xf32>) -> tensor<2x23x64xf32>
      %rms2.IAV = einsum.map_reduce "rms2.IAV" [b,p,d] from %arg0[b,p,d], %O[b,p,d] map arith.addf : (tensor<2x23x64xf32>, tensor<2x23x64xf32>) -> tensor<2x23x64xf32>
      %rms2.QAV = einsum.map_reduce "rms2.QAV" [b,p,d] from %rms2.IAV[b,p,d] map {
      ^bb0(%arg12: f32):
        %1 = arith.mulf %arg12, %arg12 : f32
        einsum.yield %1 : f32
      } : (tensor<2x23x64xf32>) -> tensor<2x23x64xf32>
      %rms2.SQAV = einsum.map_reduce "rms2.SQAV" [b,p] from %rms2.QAV[b,p,d] reduce add over [d] : (tensor<2x23x64xf32>) -> tensor<2x23xf32>
      %rms2.MQAV = einsum.map_reduce "rms2.MQAV" [b,p] from %rms2.SQAV[b,p] map {
      ^bb0(%arg12: f32):
        %cst = arith.constant 1.562500e-02 : f32
        %1 = arith.mulf %arg12, %cst : f32
        einsum.yield %1 : f32
      } : (tensor<2x23xf32>) -> tensor<2x23xf32>
      %rms2.SR = einsum.map_reduce "rms2.SR" [b,p] from %rms2.MQAV[b,p] map {
      ^bb0(%arg12: f32):
        %cst = arith.constant 9.99999997E-7 : f32
        %1 = arith.addf %arg12, %cst : f32
        %2 = math.rsqrt %1 : f32
        einsum.yield %2 : f32
      } : (tensor<2x23xf32>) -> tensor<2x23xf32>
      %rms2.NR = einsum.map_reduce "rms2.NR" [b,p,d] from %rms2.IAV[b,p,d], %rms2.SR[b,p], %arg11[d] map {
      ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
        %1 = arith.mulf %arg12, %arg13 : f32
        %2 = arith.mulf %1, %arg14 : f32
        einsum.yield %2 : f32
      } : (tensor<2x23x64xf32>, tensor<2x23xf32>, tensor<64xf32>) -> tensor<2x23x64xf32>
      %FFN1 = einsum.map_reduce "FFN1" [b,p,s] from %rms2.NR[b,p,d], %arg8[s,d] map arith.mulf reduce add over [d] : (tensor<2x23x64xf32>, tensor<88x64xf32>) -> tensor<2x23x88xf32>
      %FFG = einsum.map_reduce "FFG" [b,p,s] from %rms2.NR[b,p,d], %arg7[s,d] map arith.mulf reduce add over [d] : (tensor<2x23x64xf32>, tensor<88x64xf32>) -> tensor<2x23x88xf32>
      %AR = einsum.map_reduce "AR" [b,p,s] from %FFG[b,p,s], %FFN1[b,p,s] map {
      ^bb0(%arg12: f32, %arg13: f32):
        %1 = arith.negf %arg12 : f32
        %2 = math.exp %1 : f32
        %cst = arith.constant 1.000000e+00 : f32
        %3 = arith.addf %2, %cst : f32
        %cst_0 = arith.constant 1.000000e+00 : f32
        %4 = arith.divf %cst_0, %3 : f32
        %5 = arith.mulf %arg12, %4 : f32
        %6 = arith.mulf %5, %arg13 : f32
        einsum.yield %6 : f32
      } : (tensor<2x23x88xf32>, tensor<2x23x88xf32>) -> tensor<2x23x88xf32>
      %FFN2 = einsum.map_reduce "FFN2" [b,p,d] from %AR[b,p,s], %arg9[d,s] map arith.mulf reduce add over [s] : (tensor<2x23x88xf32>, tensor<64x88xf32>) -> tensor<2x23x64xf32>
      %RES = einsum.map_reduce "RES" [b,p,d] from %rms2.IAV[b,p,d], %FFN2[b,p,d] map arith.addf : (tensor<2x23x64xf32>, tensor<2x23x64xf32>) -> tensor<2x23x64xf32>
      einsum.yield %RES : tensor<2x23x64xf32>
    } -> tensor<2x23x64xf32>
    return %0 : tensor<2x23x64xf32>
  }
  sched.schedule @"llama_tiny_edge-32" of @llama_tiny on @"edge-32" #sched.search<policy transfusion, strategy bipartition, objective latency, mode mcts, seed 1, budget 64, evaluations 64> {
    sched.group tile(b = 2, p = 23) retain("%arg0" at group, "%arg10" at group) {
      sched.phase order [b, p] inner(b = 1, p = 23) {
        sched.run @mac2d [#sched.slot<"rms1.QAV", stage 0, rows [p], cols [d]>, #sched.slot<"rms1.SQAV", stage 0, rows [p], cols [d]>, #sched.slot<"rms1.MQAV", stage 0, rows [p]>, #sched.slot<"rms1.NR", stage 1, rows [p], cols [d]>]
        sched.run @vec1d [#sched.slot<"rms1.SR", stage 1, rows [p]>]
      }
    }
    sched.group tile(b = 2, m = 23) {
      sched.phase order [kv, b, m] inner(b = 2, kv = 2, m = 23) {
        sched.run @mac2d [#sched.slot<"BK", stage 0, rows [m], cols [kv, e1, e0]>, #sched.slot<"BV", stage 0, rows [m], cols [kv, f]>]
        sched.run @vec1d [#sched.slot<"rope2.ROPE", stage 0, rows [m], cols [e0]>]
      }
    }
    sched.group tile(b = 2, p = 23) {
      sched.phase order [kv, g, e0, b, p] block(kv = 1) inner(b = 1, p = 23, kv = 1, g = 4, e0 = 4) prefetch("%arg3" ahead 1, "rms1.NR" ahead 4) {
        sched.run @mac2d [#sched.slot<"Q", stage 0, rows [p], cols [kv, g, e1, e0]>]
        sched.run @vec1d [#sched.slot<"rope1.ROPE", stage 1, rows [p], cols [e0]>]
      }
      sched.phase order [kv, g, b, p, m1] block(kv = 1) inner(b = 1, p = 23, kv = 1, g = 1, m1 = 1) {
        sched.run @mac2d [#sched.slot<"QK", stage 0, rows [p], cols [m0]>, #sched.slot<"SLNV", stage 1, rows [p], cols [m0]>, #sched.slot<"SPD", stage 1, rows [p], cols [kv]>, #sched.slot<"SLD", stage 1, rows [p], cols [m0]>, #sched.slot<"SLN", stage 0, rows [p], cols [m0]>, #sched.slot<"RD", stage 1, rows [p], cols [kv]>]
        sched.run @vec1d [#sched.slot<"PRM", stage 1, rows [p], cols [kv]>, #sched.slot<"SPNV", stage 1, rows [p], cols [kv]>, #sched.slot<"LM", stage 0, rows [p], cols [m0]>, #sched.slot<"RM", stage 0, rows [p], cols [kv]>, #sched.slot<"RNV", stage 1, rows [p], cols [kv]>]
      }
      sched.phase order [b, p] block(b = 1) inner(b = 1, p = 23) prefetch("%arg6" ahead 1) {
        sched.run @mac2d [#sched.slot<"rms2.IAV", stage 1, rows [p], cols [d]>, #sched.slot<"rms2.QAV", stage 1, rows [p], cols [d]>, #sched.slot<"rms2.SQAV", stage 1, rows [p], cols [d]>, #sched.slot<"O", stage 0, rows [p], cols [d]>]
        sched.run @vec1d [#sched.slot<"AV", stage 0, rows [p], cols [kv, g, f]>, #sched.slot<"rms2.MQAV", stage 1, rows [p]>, #sched.slot<"rms2.SR", stage 1, rows [p]>, #sched.slot<"rms2.NR", stage 1, rows [p], cols [d]>]
      }
      sched.phase order [s, b, p] block(s = 32) inner(b = 1, p = 23, s = 32) {
        sched.run @mac2d [#sched.slot<"FFG", stage 0, rows [p], cols [s]>]
      }
      sched.phase order [s, b, p] block(s = 32) inner(b = 1, p = 23, s = 32) {
        sched.run @mac2d [#sched.slot<"FFN1", stage 0, rows [p], cols [s]>, #sched.slot<"FFN2", stage 1, rows [p], cols [s]>]
        sched.run @vec1d [#sched.slot<"AR", stage 1, rows [p], cols [s]>]
      }
      sched.phase order [d, b, p] inner(b = 1, p = 23, d = 64) defer("RES" by 1) {
        sched.run @mac2d [#sched.slot<"FFN2.finish", stage 0, rows [p], cols [d]>, #sched.slot<"RES", stage 0, rows [p], cols [d]>]
      }
    }
  }
}

