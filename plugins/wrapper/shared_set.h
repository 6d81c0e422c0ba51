// A set that several threads can use: the handles about which a library has to remember something.
#ifndef PJRT_WRAPPER_SHARED_SET_H_
#define PJRT_WRAPPER_SHARED_SET_H_

#include <mutex>
#include <set>

namespace wrapper {

template <class T>
class SharedSet {
 public:
  /** Whether it was not in the set before. */
  bool Add(const T& value) {
    std::lock_guard<std::mutex> lock(mutex_);
    return values_.insert(value).second;
  }
  /** Whether it was in the set. */
  bool Remove(const T& value) {
    std::lock_guard<std::mutex> lock(mutex_);
    return values_.erase(value) > 0;
  }
  bool Has(const T& value) {
    std::lock_guard<std::mutex> lock(mutex_);
    return values_.count(value) > 0;
  }

 private:
  std::mutex mutex_;
  std::set<T> values_;
};

}  // namespace wrapper

#endif
