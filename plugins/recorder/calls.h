// A call of a plugin: recorded, made, recorded.
#ifndef PJRT_RECORDER_CALLS_H_
#define PJRT_RECORDER_CALLS_H_

namespace recorder {

/** Calls this function of this plugin; what the function returns. */
void* Recorded(int plugin, int function, void* args);

}  // namespace recorder

#endif
