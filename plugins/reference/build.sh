#!/bin/sh
# Builds the reference plugin incrementally: OUTDIR/pjrt-plugin-reference.so.
#
#   build.sh OUTDIR [--faults] [--sanitize=address,undefined | --sanitize=thread] [--portable]
#
# --portable, for x86-64, makes a stripped library for distribution that loads on any glibc from 2.25 on.
# CXX is the compiler (default: the first of g++, clang++ and c++), CXXFLAGS are added to the flags, JOBS is the number of
# concurrent compilers (default: one per core).
set -eu

usage() {
  echo "usage: build.sh OUTDIR [--faults] [--sanitize=address,undefined | --sanitize=thread] [--portable]" >&2
  exit 2
}

root=$(cd "$(dirname "$0")" && pwd)
out=
faults=
sanitize=
portable=
for argument in "$@"; do
  case $argument in
    --faults) faults=1 ;;
    --portable) portable=portable ;;
    --sanitize=*) sanitize=${argument#--sanitize=} ;;
    -*) usage ;;
    *) [ -z "$out" ] || usage; out=$argument ;;
  esac
done
[ -n "$out" ] || usage

if [ ! -f "$root/generated/pjrt_c_api.h" ]; then
  echo "build.sh: no $root/generated: in a clone, run npm ci and npm run build first" >&2
  exit 1
fi

if [ -z "${CXX:-}" ]; then
  for CXX in g++ clang++ c++; do
    if command -v "$CXX" >/dev/null 2>&1; then break; fi
    CXX=
  done
  if [ -z "$CXX" ]; then
    echo "build.sh: no C++ compiler found: install g++ or clang++ (with C++17), or name one in CXX" >&2
    exit 3
  fi
fi

flags="-std=c++17 -fPIC -fvisibility=hidden -ffp-contract=off -pthread -Wall -Wextra"
if [ -n "$sanitize" ]; then
  # Line numbers for stacks in reports, but no variables: tracking those through UBSan's checks more than doubles the time.
  flags="$flags -O1 -g1 -fno-omit-frame-pointer -fsanitize=$sanitize"
else
  flags="$flags -O2"
fi
[ -z "$faults" ] || flags="$flags -DREFERENCE_FAULTS"
flags="$flags ${CXXFLAGS:-}"

mkdir -p "$out/obj"
cd "$out/obj" # paths are relative from here on, because OUTDIR may contain spaces

# The library exports only GetPjrtApi, and nothing of the C++ library.
if [ "$(uname)" = Darwin ]; then
  link="-shared -pthread -Wl,-exported_symbol,_GetPjrtApi"
else
  echo '{ global: GetPjrtApi; local: *; };' >exports
  link="-shared -pthread -Wl,--version-script=exports"
  if [ -z "$sanitize" ]; then link="$link -static-libstdc++ -static-libgcc -Wl,--no-undefined -Wl,--gc-sections"; fi
fi
[ -z "$sanitize" ] || link="$link -fsanitize=$sanitize"
[ -z "$portable" ] || link="$link -Wl,--strip-all"

# Other flags or another compiler: rebuild everything.
settings="$CXX $flags $link"
if [ "$(cat settings 2>/dev/null || true)" != "$settings" ]; then
  rm -f ./*.o ./*.gch
  printf '%s\n' "$settings" >settings
fi

stale() { # OBJECT: is it missing, or older than any of its sources?
  [ -f "$1" ] && [ -f "${1%.o}.d" ] || return 0
  # The words of a dependency file, without its target and line continuations.
  for file in $(sed -e 's/^[^:]*://' -e 's/\\$//' "${1%.o}.d"); do
    [ -f "$file" ] && [ ! "$file" -nt "$1" ] || return 0
  done
  return 1
}

objects=
: >todo
for directory in base ir interpreter runtime c_api c_api/extensions $portable; do
  for source in "$root/$directory"/*.cc; do
    [ -f "$source" ] || continue
    name=${source#"$root"/}
    object=$(printf %s "${name%.cc}" | tr / -).o
    objects="$objects $object"
    if stale "$object"; then printf '%s\n%s\n' "$name" "$object" >>todo; fi
  done
done

export CXX flags root
if [ -s todo ]; then
  # A compiler that cannot create or map a precompiled header (as under some emulators) reads the header itself.
  if [ ! precompiled.h.gch -nt "$root/precompiled.h" ]; then
    $CXX $flags -x c++-header "$root/precompiled.h" -o precompiled.h.gch &&
      echo | $CXX $flags -include precompiled.h -x c++ -fsyntax-only - || rm -f precompiled.h.gch
  fi 2>/dev/null
  jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
  xargs -n 2 -P "$jobs" sh -c \
    'echo "compile $1"; $CXX $flags -I"$root" -I"$root/generated" -include precompiled.h -MMD -MF "${2%.o}.d" -c "$root/$1" -o "$2.part" && mv "$2.part" "$2"' \
    compile <todo || { echo "build.sh: the sources did not compile with $CXX" >&2; exit 1; }
fi
# A library with objects of deleted sources is stale as well.
if [ -s todo ] || [ ! -f ../pjrt-plugin-reference.so ] || [ "$(cat linked 2>/dev/null || true)" != "$objects" ]; then
  echo "link pjrt-plugin-reference.so"
  $CXX $objects $link -o linked.part
  mv linked.part ../pjrt-plugin-reference.so
  printf '%s\n' "$objects" >linked
fi
