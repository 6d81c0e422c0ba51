// What makes another plugin of a base: each of these looks into the environment whether it is wanted. All of it is right
// for a plugin; a suite that finds a defect in it is wrong. (With one exception, which says so.)
#ifndef PJRT_DESIGNS_DESIGNS_H_
#define PJRT_DESIGNS_DESIGNS_H_

#include <optional>
#include <string>
#include <vector>

#include "../wrapper/wrapper.h"

namespace designs {

using namespace wrapper;

/** PJRT_DESIGN_SLOTS=Client_Load=null,Buffer_Memory=UNIMPLEMENTED: functions that it does not have. */
void TakeSlotsAway();
/** PJRT_DESIGN_EXTENSIONS=4,8: of the base's extensions only those of these types stay in the chain. */
void HideExtensions();
/** PJRT_DESIGN_ELEMENT_TYPES_REFUSED=14,15: no buffer of these types is made, and no program with them is compiled. */
void RefuseElementTypes();
/** PJRT_DESIGN_OPS_REFUSED=stablehlo.sort,…: no program with one of them is compiled. */
void RefuseOps();
/** PJRT_DESIGN_TEXT=refused: programs come as portable artifacts only. */
void RefuseText();
/** PJRT_DESIGN_COMPILE_MS: how long the compiler takes for a program that it accepts. */
void SlowCompiler();
/** PJRT_DESIGN_CLIENT_MS: how long the first client of a process takes. */
void SlowClient();
/** PJRT_DESIGN_CLIENTS=one: no second client while there is one in the process. */
void OneClient();
/** PJRT_DESIGN_ON_CPU=no: buffers say that they are not in the host's memory. */
void NotOnCpu();
/** PJRT_DESIGN_DONATION=no: nothing is ever donated, inputs of programs stay what they are. */
void NoDonation();
/** PJRT_DESIGN_MEMORIES=empty: clients and devices have lists of memories, with nothing in them. */
void EmptyMemories();
/** PJRT_DESIGN_SIZE_QUERY=refused: ToHostBuffer without a destination is an error. This is a defect, of a plugin that exists. */
void RefuseSizeQuery();

/** Value of a setting, if it has one. */
std::optional<std::string> Setting(const char* variable);
/** A setting that can only have one value; dies of another. */
bool Has(const char* variable, const char* value);
/** A number of milliseconds, 0 where nothing is set. */
int Milliseconds(const char* variable);
/** Parts of a list with commas. */
std::vector<std::string> Split(const std::string& list);
std::vector<int> Numbers(const char* variable, const std::string& list);

}  // namespace designs

#endif
