// PJRT_FAULT=slots: functions that a young plugin does not have yet, named by
//   PJRT_FAULTS_SLOTS=Client_Load=null,Buffer_Memory=UNIMPLEMENTED,Buffer_IsOnCpu=INTERNAL
// No defect of the catalogue, but a setting for tests that need a plugin with gaps of their choice.
#include "../wrapper/slots.h"

#include "faults.h"

namespace faults {
namespace {

Registration registration("slots", [] { TakeSlotsAway("PJRT_FAULTS_SLOTS"); });

}  // namespace
}  // namespace faults
