// Functions that a plugin does not have, as the environment names them:
//   Client_Load=null,Buffer_Memory=UNIMPLEMENTED,Buffer_IsOnCpu=INTERNAL
#ifndef PJRT_WRAPPER_SLOTS_H_
#define PJRT_WRAPPER_SLOTS_H_

namespace wrapper {

/** Takes away what this variable of the environment names; nothing where it is not set. */
void TakeSlotsAway(const char* variable);

}  // namespace wrapper

#endif
