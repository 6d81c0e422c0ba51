// Buffers whose contents are damaged, though nothing in memory is.
#ifndef PJRT_FAULTS_DAMAGE_H_
#define PJRT_FAULTS_DAMAGE_H_

#include "../wrapper/shared_set.h"
#include "faults.h"

namespace faults {

/** Buffers whose contents have been damaged: every read of one gets other bytes. */
inline SharedSet<PJRT_Buffer*>& Damaged() {
  static SharedSet<PJRT_Buffer*> damaged;
  return damaged;
}
/** Lets reads show the damage. */
inline void ReadDamage() {
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst == nullptr || !Damaged().Has(args.src) || !Await(args.event)) return;
    static_cast<uint8_t*>(args.dst)[0] ^= 0x5a;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Damaged().Remove(args.buffer); });
}

}  // namespace faults

#endif
