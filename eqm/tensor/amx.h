// Intel's matrix registers (AMX), and a oneDNN that misuses them.
#pragma once

namespace eqm {

// Where the processor has them, a shared oneDNN of version 2 (Debian's is 2.6) takes them for
// products in bfloat16 and dies of an illegal instruction, though the system grants them. It is
// configured to do without. To be called before LibTorch computes anything; $ONEDNN_MAX_CPU_ISA is
// left alone where it is set.
void keep_old_onednn_from_amx();

// Whether it would die: the processor, such a oneDNN, and nothing that keeps them apart.
bool onednn_dies_of_amx();

}  // namespace eqm
