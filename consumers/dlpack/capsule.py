"""DLPack: tensors in capsules, as a framework gives and takes them (dlpack.h 1.x and the older struct without a version)."""

import ctypes
import threading


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


# The name of a capsule, and the one that its consumer gives it.
NAMES = {
    "legacy": (Legacy, b"dltensor", b"used_dltensor"),
    "versioned": (Versioned, b"dltensor_versioned", b"used_dltensor_versioned"),
}
READ_ONLY = 1
CPU = 1
CODES = {"signed": 0, "unsigned": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}


def code_of(dtype):
    """The type code of an element type of the C API."""
    if dtype["name"] == "bf16":
        return CODES["bfloat"]
    return CODES["bool" if dtype["name"] == "pred" else dtype["kind"]]


class NotKnown(Exception):
    """The library does not know the kind of capsule that the case is about."""


class Asks(Exception):
    """The library asks for something that a buffer of a plugin cannot give."""


def api(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


new_capsule = api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
is_valid = api("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
pointer_in = api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
rename = api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
set_destructor = api("PyCapsule_SetDestructor", ctypes.c_int, ctypes.py_object, ctypes.c_void_p)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def unused(capsule):
    """A capsule ends: if nobody took the tensor, nobody else will delete it. The address, because its object is dying."""
    for _, name, _ in NAMES.values():
        if is_valid(capsule, name):
            end(name, pointer_in(capsule, name))


def end(name, address):
    struct = Legacy if name == NAMES["legacy"][1] else Versioned
    deleter = struct.from_address(address).deleter
    if deleter:
        Deleter(deleter)(address)


# Tensors that have been handed out, by address: libraries call their deleters until the process ends.
handed_out = {}


class Export:
    """A buffer on its way out, as JAX exports one: with a reference held until the consumer calls the deleter."""

    def __init__(self, buffer, dtype, shape, strides, kind):
        self.buffer, self.kind = buffer, kind
        self.gone = threading.Event()
        self.problem = None
        buffer.ask("IncreaseExternalReferenceCount")
        self.pointer = buffer.pointer()
        struct, self.name, _ = NAMES[kind]
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (ctypes.c_int64 * max(len(strides), 1))(*strides)
        self.managed = struct()
        tensor = self.managed.tensor
        tensor.data = self.pointer
        tensor.device = Device(CPU, 0)
        tensor.ndim = len(shape)
        tensor.dtype = DataType(code_of(dtype), dtype["bits"] if dtype["name"] != "pred" else 8, 1)
        tensor.shape, tensor.strides = self.shape, self.strides
        if kind == "versioned":
            self.managed.version = Version(1, 0)
            # Nobody but the plugin may write to what a buffer holds.
            self.managed.flags = READ_ONLY
        self.deleter = Deleter(self.deleted)
        self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p).value
        self.address = ctypes.addressof(self.managed)

    def deleted(self, _):
        try:
            self.buffer.ask("DecreaseExternalReferenceCount")
        except Exception as error:  # nothing can be thrown through the library
            self.problem = error
        self.gone.set()

    def await_deletion(self):
        """Waits until the library has called the deleter; JAX does so on another thread."""
        self.gone.wait()
        if self.problem:
            raise self.problem

    def __dlpack_device__(self):
        return (CPU, 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        if copy:
            raise Asks("a copy")
        if self.kind == "versioned" and (max_version is None or max_version[0] < 1):
            raise NotKnown()
        # Both outlive the consumer, which may call the deleter at any time.
        handed_out[self.address] = self
        return new_capsule(self.address, self.name, ctypes.cast(unused, ctypes.c_void_p).value)


class Import:
    """A tensor taken out of the capsule of a library."""

    def __init__(self, capsule):
        for kind, (struct, name, used) in NAMES.items():
            if is_valid(id(capsule), name):
                self.kind = kind
                self.address = pointer_in(id(capsule), name)
                self.managed = struct.from_address(self.address)
                rename(capsule, used)
                set_destructor(capsule, None)
                break
        else:
            raise Asks("a capsule with another name")
        tensor = self.managed.tensor
        self.data = (tensor.data or 0) + tensor.byte_offset
        self.shape = [tensor.shape[i] for i in range(tensor.ndim)]
        self.strides = [tensor.strides[i] for i in range(tensor.ndim)] if tensor.strides else None

    def delete(self):
        """Gives the tensor back to the library."""
        if self.managed.deleter:
            Deleter(self.managed.deleter)(self.address)

    def minor_to_major(self):
        """The order of the dimensions in memory, by JAX's rule: equal strides count as row-major."""
        rank = len(self.shape)
        if self.strides is None:
            return list(reversed(range(rank)))
        return sorted(range(rank), key=lambda d: (self.strides[d], -d))
