# Gives the target wasmtime::wasmtime: the C API of wasmtime 48, the long-term line.
#
# With -DWASMTIME_DIR=… from an unpacked release of wasmtime's C API. Without it the library comes
# out of the wheel on PyPI and the headers out of the crate on crates.io, both of the same version
# and pinned by digest; Python 3 with pip is needed for that.

set(WASMTIME_DIR "" CACHE PATH "wasmtime C API with include/ and lib/; empty: fetch it")
set(WASMTIME_VERSION 48.0.0)

if(WASMTIME_DIR)
  find_library(WASMTIME_LIBRARY wasmtime PATHS ${WASMTIME_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  set(WASMTIME_INCLUDE ${WASMTIME_DIR}/include)
else()
  if(NOT (CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"))
    message(FATAL_ERROR "no pinned library for this system: give WASMTIME_DIR")
  endif()
  set(place ${CMAKE_BINARY_DIR}/wasmtime-${WASMTIME_VERSION})
  set(WASMTIME_LIBRARY ${place}/lib/libwasmtime.so)
  set(WASMTIME_INCLUDE ${place}/wasmtime-c-api-impl-${WASMTIME_VERSION}/include)

  if(NOT EXISTS ${WASMTIME_LIBRARY})
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip download --quiet --disable-pip-version-check --no-deps
              --only-binary :all: --dest ${place} wasmtime==${WASMTIME_VERSION}
      COMMAND_ERROR_IS_FATAL ANY)
    set(wheel ${place}/wasmtime-${WASMTIME_VERSION}-py3-none-manylinux1_x86_64.whl)
    file(SHA256 ${wheel} digest)
    if(NOT digest STREQUAL "58544d539053dff7bd4cf30c40d7a540862d683013c0dfa6ba46a063f5b682f7")
      message(FATAL_ERROR "the wheel of wasmtime is not the pinned one")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${place})
    file(MAKE_DIRECTORY ${place}/lib)
    file(RENAME ${place}/wasmtime/linux-x86_64/_libwasmtime.so ${WASMTIME_LIBRARY})
  endif()
  if(NOT EXISTS ${WASMTIME_INCLUDE}/wasmtime.h)
    set(crate ${place}/headers.tar.gz)
    file(DOWNLOAD
      https://static.crates.io/crates/wasmtime-c-api-impl/wasmtime-c-api-impl-${WASMTIME_VERSION}.crate
      ${crate}
      EXPECTED_HASH SHA256=32285488ca6e460147ccc2da567e2075a224261cf5f551eceabb116292a6cbb7)
    file(ARCHIVE_EXTRACT INPUT ${crate} DESTINATION ${place})
  endif()
  # What the library of the wheel was built with, as far as this project asks for it.
  set(WASMTIME_FEATURE_COMPONENT_MODEL ON)
  set(WASMTIME_FEATURE_CRANELIFT ON)
  configure_file(${WASMTIME_INCLUDE}/wasmtime/conf.h.in ${WASMTIME_INCLUDE}/wasmtime/conf.h)
endif()

add_library(wasmtime::wasmtime SHARED IMPORTED)
set_target_properties(wasmtime::wasmtime PROPERTIES
  IMPORTED_LOCATION ${WASMTIME_LIBRARY}
  # The library of the wheel has no name of its own; without this its path would become one.
  IMPORTED_NO_SONAME ON
  INTERFACE_INCLUDE_DIRECTORIES ${WASMTIME_INCLUDE})
