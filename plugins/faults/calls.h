// Other arguments and results of calls than those of the caller and of the base.
#ifndef PJRT_FAULTS_CALLS_H_
#define PJRT_FAULTS_CALLS_H_

#include <cstring>

#include "faults.h"

namespace faults {

/** Calls with another value in one field, which is restored afterwards. */
template <class S, class T, class Args>
PJRT_Error* With(Args& args, const Original<S>& original, T& field, T value) {
  const T given = field;
  field = value;
  PJRT_Error* error = original(&args);
  field = given;
  return error;
}

/** Replaces a list with one that lives forever. */
template <class T>
void Relist(T*& list, size_t& count, std::vector<std::remove_const_t<T>> made) {
  auto* kept = new std::vector<std::remove_const_t<T>>(std::move(made));
  list = kept->data();
  count = kept->size();
}
template <class T>
std::vector<std::remove_const_t<T>> Copy(T* list, size_t count) {
  return {list, list + count};
}

inline PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = 1;
  return value;
}

}  // namespace faults

#endif
