// How a fault is written: a base plugin, its table copied, and a few slots wrapped.
//
//   FAULT("buffer-size-short") {  // one defect, named as in catalogue.yaml
//     After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes /= 2; });
//   }
//
// The body runs once, when GetPjrtApi is called with PJRT_FAULT=buffer-size-short. It may wrap slots (Before, After,
// Replace), change the table (`Table()`), or do damage at once; see plugins/wrapper/wrapper.h for all its functions.
#ifndef PJRT_FAULTS_FAULTS_H_
#define PJRT_FAULTS_FAULTS_H_

#include "../wrapper/wrapper.h"

namespace faults {

using namespace wrapper;

using InstallFault = void (*)();

/** Registers a fault; used only by FAULT. */
struct Registration {
  Registration(const char* name, InstallFault install);
  const char* name;
  InstallFault install;
  Registration* next;
};

#define FAULTS_JOIN_(a, b) a##b
#define FAULTS_JOIN(a, b) FAULTS_JOIN_(a, b)
#define FAULT(name)                                                                                  \
  static void FAULTS_JOIN(Install, __LINE__)();                                                      \
  static ::faults::Registration FAULTS_JOIN(registration, __LINE__)(name, FAULTS_JOIN(Install, __LINE__)); \
  static void FAULTS_JOIN(Install, __LINE__)()

}  // namespace faults

#endif
