// The version of StableHLO that a plugin reports, for --stablehlo.
#ifndef PJRT_RECORDER_STABLEHLO_H_
#define PJRT_RECORDER_STABLEHLO_H_

#include "pjrt_c_api.h"

namespace recorder {

/** Lets what PJRT_Plugin_Attributes has answered say the version that was asked for, if the plugin's own is a later one. */
void LowerStablehlo(int plugin, PJRT_Plugin_Attributes_Args& args);

}  // namespace recorder

#endif
