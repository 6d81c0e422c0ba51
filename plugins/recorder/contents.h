// Contents of buffers: what a framework reads, and arguments and results of executions.
#ifndef PJRT_RECORDER_CONTENTS_H_
#define PJRT_RECORDER_CONTENTS_H_

#include <cstddef>
#include <cstdint>

#include "pjrt_c_api.h"

namespace recorder {

/** A call has begun to read into memory of the host, which is complete when the event is. */
void ReadBegins(PJRT_Event* event, const void* memory, size_t size, uint64_t call, int plugin);
/** The caller learns that the event is complete. */
void EventComplete(PJRT_Event* event, bool succeeded);
/** The event is destroyed: nobody will learn of it. */
void EventDestroyed(PJRT_Event* event, int plugin);

/** A caller has the address of a buffer's memory. */
void BufferPointed(PJRT_Buffer* buffer, const void* memory, uint64_t call, int plugin);

/** The caller has the event that says whether the buffer's contents are there. */
void BufferAwaited(PJRT_Buffer* buffer, PJRT_Event* event);
/** The caller gives the memory up. */
void BufferEnds(PJRT_Buffer* buffer, int plugin);

/** Whether arguments and results of an execution are read. */
bool ReadsExecution(PJRT_LoadedExecutable* executable, int plugin);
/** Before the execution. */
void ReadArguments(const PJRT_LoadedExecutable_Execute_Args& args, uint64_t call, int plugin);
/** After it. */
void ReadResults(const PJRT_LoadedExecutable_Execute_Args& args, uint64_t call, int plugin);
/** Number of results of an executable. */
size_t ResultsOf(PJRT_LoadedExecutable* executable, int plugin);
/** It is destroyed, or another one begins at its address. */
void ExecutableEnds(PJRT_LoadedExecutable* executable);

}  // namespace recorder

#endif
