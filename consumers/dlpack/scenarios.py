"""What happens between the plugin and a library. Each scenario returns what it saw; the harness judges it."""

import base64
import ctypes
import threading

from capsule import Asks, Export, Import, NotKnown
from libraries import forget, give
from plugin import Absent, Refused

# So many buffers of the same size are made to take memory that was freed too early.
CHURN = 8


class Lacks(Exception):
    """The case needs something that is not there; the text says what."""


def sent(plugin, task):
    """The buffer to hand out, and the strides of its elements in memory."""
    buffer = plugin.put(task["data"], task["dtype"], task["shape"])
    return buffer, strides_of(layout_of(plugin, buffer), task["shape"], task["dtype"])


def layout_of(plugin, buffer):
    """None where the plugin does not say."""
    try:
        return buffer.layout()
    except Absent:
        return None
    except Refused as error:
        if error.code != plugin.constants["PJRT_Error_Code_UNIMPLEMENTED"]:
            raise
        return None


def strides_of(layout, shape, dtype):
    """In elements. A consumer takes a buffer that says nothing of its layout for dense row-major, as XLA's client does."""
    if layout is None:
        layout = {"order": list(reversed(range(len(shape)))), "tiles": 0}
    if "byteStrides" in layout:
        return [stride // (dtype["bits"] // 8 or 1) for stride in layout["byteStrides"]]
    if layout["tiles"]:
        raise Lacks("buffers are tiled, and DLPack has no tiles")
    strides, step = [0] * len(shape), 1
    for dimension in layout["order"]:
        strides[dimension] = step
        step *= max(shape[dimension], 1)
    return strides


class NoAddress(Exception):
    """A buffer with contents says that it lies at NULL, which no library can use."""


class Declined(Exception):
    """The library does not take or give the array."""


def declinable(exchange):
    """What a library says of an exchange that it does not support is about its version, not about the plugin."""
    try:
        return exchange()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise Declined("%s: %s" % (type(error).__name__, error)) from error


def hand_over(library, buffer, task, strides):
    export = Export(buffer, task["dtype"], task["shape"], strides, task["capsule"])
    if task["data"] and not export.pointer:
        raise NoAddress()
    return export, declinable(lambda: library.take(export))


def churn(plugin, task):
    """Takes memory that is free, with other contents, and keeps it."""
    return [plugin.put(task["other"], task["dtype"], task["shape"]) for _ in range(CHURN)]


def end(handed, buffer, others):
    """The library has dropped the array of the buffer, which is not needed any more."""
    forget()
    handed.await_deletion()
    for other in others:
        other.destroy()
    buffer.destroy()


def export(plugin, library, task):
    """A buffer is given to the library and comes back when the library drops it."""
    buffer, strides = sent(plugin, task)
    handed, array = hand_over(library, buffer, task, strides)
    saw = {
        "exported": handed.pointer,
        "held": buffer.pointer(),
        "array": library.look(array),
        "contents": library.contents(array),
    }
    del array
    forget()
    handed.await_deletion()
    saw["after"] = buffer.read(len(task["data"]))
    buffer.destroy()
    return saw


def export_deleted(plugin, library, task):
    """The buffer is deleted while the library uses its memory."""
    buffer, strides = sent(plugin, task)
    handed, array = hand_over(library, buffer, task, strides)
    buffer.delete()
    others = churn(plugin, task)
    saw = {"contents": library.contents(array)}
    del array
    end(handed, buffer, others)
    return saw


def export_twice(plugin, library, task):
    """Two arrays share a buffer; one ends, then the buffer is deleted."""
    buffer, strides = sent(plugin, task)
    first, one = hand_over(library, buffer, task, strides)
    second, two = hand_over(library, buffer, task, strides)
    saw = {"pointers": [library.look(one)["pointer"], library.look(two)["pointer"]]}
    del one
    forget()
    first.await_deletion()
    buffer.delete()
    others = churn(plugin, task)
    saw["contents"] = library.contents(two)
    del two
    end(second, buffer, others)
    return saw


class View:
    """A view of a library's memory, and what its callback does."""

    def __init__(self, plugin, tensor, dtype):
        self.plugin, self.tensor, self.dtype = plugin, tensor, dtype
        self.calls = 0
        self.released = threading.Event()
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        self.callback = kind(self.release)

    def release(self, pointer, argument):
        self.calls += 1
        if self.calls == 1:
            self.arguments = [pointer or 0, argument or 0]
            self.tensor.delete()
        self.released.set()

    def address(self):
        return ctypes.cast(self.callback, ctypes.c_void_p).value

    def create(self):
        """As JAX does: with a layout, in the default memory where the plugin has memories."""

        def fill(view):
            view.set_numbers("dims", "num_dims", self.tensor.shape)
            self.plugin.layout_in(view, "layout", self.tensor.minor_to_major())
            memory = self.plugin.default_memory() if view.has("memory") else None
            view.set("memory" if memory else "device", memory or self.plugin.device)

        made = self.plugin.call(
            "PJRT_Client_CreateViewOfDeviceBuffer",
            fill,
            client=self.plugin.client,
            device_buffer_ptr=self.tensor.data,
            element_type=self.dtype["number"],
            on_delete_callback=self.address(),
            on_delete_callback_arg=self.tensor.address,
        )
        buffer = self.plugin.buffer(made.get("buffer"))
        buffer.wait()
        return buffer

    def end(self, buffer):
        buffer.destroy()
        self.released.wait()
        # A second call would come now.
        for _ in range(3):
            self.plugin.call("PJRT_Client_PlatformName", client=self.plugin.client)
        return {"calls": self.calls, "pointerRight": self.arguments[0] == self.tensor.data,
                "argumentRight": self.arguments[1] == self.tensor.address}


def refuses(plugin, error):
    """Whether the plugin refuses a view, and does not fail at it. jaxlib makes a copy then."""
    return error.call == "PJRT_Client_CreateViewOfDeviceBuffer" and error.code == plugin.constants["PJRT_Error_Code_INVALID_ARGUMENT"]


def view_of(plugin, view):
    try:
        return view.create()
    except Refused as error:
        if refuses(plugin, error):
            raise Lacks("the plugin makes no view of this memory: %s" % error.text.split("\n")[0])
        raise


def take_in(plugin, library, task, array):
    tensor = Import(declinable(lambda: give(array, task["capsule"])))
    if tensor.kind != task["capsule"]:
        raise NotKnown()
    return View(plugin, tensor, task["dtype"])


def imported(plugin, library, task):
    """The library's array is a buffer, while the library forgets it, and is given back with the buffer."""
    array = library.make(task["data"], task["dtype"], task["shape"], None, 0)
    view = take_in(plugin, library, task, array)
    buffer = view_of(plugin, view)
    size = len(task["data"])
    saw = {
        "array": library.look(array),
        "dimensions": buffer.dimensions(),
        "pointer": buffer.pointer(),
        "contents": buffer.read(size),
    }
    library.overwrite(array, task["other"], task["dtype"])
    saw["overwritten"] = buffer.read(size)
    del array
    forget()
    saw["early"] = view.calls
    saw["forgotten"] = buffer.read(size)
    saw.update(view.end(buffer))
    return saw


def transposed(plugin, library, task):
    """An array that is not row-major becomes a view, which is given back to the library by the layout that it reports."""
    rank = len(task["shape"])
    array = library.make(task["data"], task["dtype"], task["shape"], list(range(rank)), 0)
    view = take_in(plugin, library, task, array)
    buffer = view_of(plugin, view)
    layout = layout_of(plugin, buffer)
    if layout is None:
        raise Lacks("the plugin does not say how the view lies in memory")
    handed, back = hand_over(library, buffer, task, strides_of(layout, task["shape"], task["dtype"]))
    saw = {"array": library.look(array), "back": library.look(back), "contents": library.contents(back)}
    del array, back
    forget()
    handed.await_deletion()
    saw["early"] = view.calls
    saw.update(view.end(buffer))
    return saw


def unaligned(plugin, library, task):
    """The library's array is off: the plugin uses it, or refuses so that JAX copies, which gives it back as well."""
    array = library.make(task["data"], task["dtype"], task["shape"], None, task["off"])
    view = take_in(plugin, library, task, array)
    size = len(task["data"])
    try:
        buffer = view.create()
    except Refused as error:
        if error.call != "PJRT_Client_CreateViewOfDeviceBuffer":
            raise
        # Had the refused call released the array, the copy would read freed memory.
        saw = {"refused": error.code, "early": view.calls}
        if view.calls == 0 and refuses(plugin, error):
            saw.update(copied(plugin, view, array, task, size))
        return saw
    saw = {"contents": buffer.read(size)}
    del array
    forget()
    saw.update(view.end(buffer))
    return saw


def copied(plugin, view, array, task, size):
    def fill(args):
        args.set_numbers("dims", "num_dims", view.tensor.shape)
        if view.tensor.strides is not None:
            width = size // max(1, product(task["shape"]))
            args.set_numbers("byte_strides", "num_byte_strides", [s * width for s in view.tensor.strides])

    made = plugin.call(
        "PJRT_Client_BufferFromHostBuffer",
        fill,
        client=plugin.client,
        data=view.tensor.data,
        type=task["dtype"]["number"],
        host_buffer_semantics=plugin.constants["PJRT_HostBufferSemantics_kMutableZeroCopy"],
        device=plugin.device,
    )
    buffer = plugin.buffer(made.get("buffer"))
    buffer.wait()
    saw = {"contents": buffer.read(size)}
    # The event may come as late as the end of the buffer.
    buffer.destroy()
    plugin.wait(made.get("done_with_host_buffer"))
    view.tensor.delete()
    return saw


def product(shape):
    result = 1
    for size in shape:
        result *= size
    return result


def round_trip(plugin, library, task):
    """A buffer becomes an array of the library, which becomes a buffer; both are the same memory, which the first holds."""
    buffer, strides = sent(plugin, task)
    handed, array = hand_over(library, buffer, task, strides)
    view = take_in(plugin, library, task, array)
    again = view_of(plugin, view)
    del array
    forget()
    buffer.delete()
    others = churn(plugin, task)
    saw = {"exported": handed.pointer, "pointer": again.pointer(), "early": view.calls,
           "contents": again.read(len(task["data"]))}
    saw.update(view.end(again))
    forget()
    handed.await_deletion()
    for other in others:
        other.destroy()
    buffer.destroy()
    return saw


SCENARIOS = {
    "export": export,
    "export-deleted": export_deleted,
    "export-twice": export_twice,
    "import": imported,
    "import-transposed": transposed,
    "import-unaligned": unaligned,
    "round-trip": round_trip,
}


def run(plugin, library, task):
    """What a scenario saw, or what it lacks."""
    name = task["library"]["name"]
    try:
        return {"saw": SCENARIOS[task["scenario"]](plugin, library, task)}
    except NotKnown:
        return {"lacks": "this version of %s knows no capsules with a version" % name}
    except NoAddress:
        return {"null": "PJRT_Buffer_OpaqueDeviceMemoryDataPointer"}
    except Asks as asked:
        return {"lacks": "%s asks for %s" % (name, asked)}
    except Lacks as lacks:
        return {"lacks": str(lacks)}
    except Declined as declined:
        return {"lacks": "%s declines: %s" % (name, declined)}


def decode(task):
    """The task with its bytes."""
    return {**task, "data": base64.b64decode(task["data"]), "other": base64.b64decode(task["other"])}
