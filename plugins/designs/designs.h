// Designs that change a base: each reads its setting from the environment. All of them are valid plugins; a suite that
// finds a defect in one is wrong. (With one exception, marked below.)
#ifndef PJRT_DESIGNS_DESIGNS_H_
#define PJRT_DESIGNS_DESIGNS_H_

#include <optional>
#include <string>
#include <vector>

#include "../wrapper/wrapper.h"

namespace designs {

using namespace wrapper;

/** PJRT_DESIGN_SLOTS=Client_Load=null,Buffer_Memory=UNIMPLEMENTED: missing functions. */
void TakeSlotsAway();
/** PJRT_DESIGN_EXTENSIONS=4,8: only the base's extensions of these types stay in the chain. */
void HideExtensions();
/**
 * PJRT_DESIGN_ELEMENT_TYPES_REFUSED=14,15: no buffer of these types is created, and no program with them is compiled.
 */
void RefuseElementTypes();
/** PJRT_DESIGN_OPS_REFUSED=stablehlo.sort,…: no program with one of them is compiled. */
void RefuseOps();
/** PJRT_DESIGN_TEXT=refused: only portable artifacts are accepted. */
void RefuseText();
/** PJRT_DESIGN_COMPILE_MS: time to compile an accepted program. */
void SlowCompiler();
/** PJRT_DESIGN_CLIENT_MS: time to create the first client of a process. */
void SlowClient();
/** PJRT_DESIGN_CLIENTS=one: only one client at a time in the process. */
void OneClient();
/**
 * PJRT_DESIGN_ONE_PROCESS: a directory for lock files. A process locks the devices that PJRT_DESIGN_VISIBLE_DEVICES lists
 * (0,1,2,3) with its first client; in other processes there is no client then.
 */
void OneProcess();
/** PJRT_DESIGN_ONE_MEMORY: a directory for lock files. The process that first transfers has all memory until it ends. */
void OneMemory();
/** PJRT_DESIGN_EXECUTE=waits: Execute returns when its arguments are there. */
void WaitingExecute();
/** PJRT_DESIGN_ON_CPU=no: buffers report that they are not in host memory. */
void NotOnCpu();
/** PJRT_DESIGN_DONATION=no: nothing is ever donated, inputs of programs stay valid. */
void NoDonation();
/** PJRT_DESIGN_MEMORIES=empty: clients and devices have empty lists of memories. */
void EmptyMemories();
/**
 * PJRT_DESIGN_SIZE_QUERY=refused: ToHostBuffer without a destination is an error. This is a defect, of an existing
 * plugin.
 */
void RefuseSizeQuery();

/** PJRT_DESIGN_ANSWERS=one-name,…: answers that the header allows and that other plugins do not give. */
void UnusualAnswers();
/** PJRT_DESIGN_OUTPUTS_ON_ERROR=junk|stale: what a failed call leaves in its outputs. */
void OutputsOnError();
/** PJRT_DESIGN_DEVICE_IDS=FIRST,STEP, …_HARDWARE_IDS, …_MEMORY_IDS: other ids than 0, 1, 2, …. */
void OtherIds();
/** A program compiled or loaded again gives the handle that it gave before, with one more reference. */
void SharedCompilations();
/** Every executable has another name, also of the same program. */
void CountedNames();
/** A buffer is deleted if PJRT_Buffer_Delete was called on it, and not if an execution has taken it. */
void DeletionsAlone();
/** A program for several devices is refused. */
void OneDevicePrograms();
/** Sizes of generated code are -1. */
void UnknownCodeSize();
/** Local hardware ids are -1 for all devices, or for every second one. */
void NoHardwareIds();
void SomeHardwareIds();

/**
 * PJRT_DESIGN_CALLS=service-thread: one thread does the work of all calls, and calls back. recursive-lock: a lock is held
 * during all calls and callbacks. plain-lock: the same, and a callback that calls back waits for itself, which is a defect.
 */
void Callers();

/**
 * PJRT_DESIGN_HABITS=late-notices,…: what plugins of other architectures do and the header allows. Some are below all other
 * designs, as a base has them, and some above most.
 */
void HabitsBelow();
void HabitsAbove();

/** Value of a setting, if it is set. */
std::optional<std::string> Setting(const char* variable);
/** A setting that has only one valid value; aborts on another. */
bool Has(const char* variable, const char* value);
/** A number of milliseconds, 0 if not set. */
int Milliseconds(const char* variable);
/** Parts of a comma-separated list. */
std::vector<std::string> Split(const std::string& list);
std::vector<int> Numbers(const char* variable, const std::string& list);

}  // namespace designs

#endif
