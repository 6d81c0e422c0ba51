"""The plugin, through its C API. Layouts of structs and places of functions come from the harness; none are known here."""

import base64
import ctypes
import os
import struct
import threading
import time

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Refused(Exception):
    """A function of the plugin returned an error."""

    def __init__(self, call, code, text):
        super().__init__("%s: code %d: %s" % (call, code, text))
        self.call, self.code, self.text = call, code, text


class Absent(Exception):
    """The plugin lacks a function."""


class Report:
    """The channel to the harness: each native call as it begins and ends, then the result."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.calls = 0
        # Not for programs that the plugin starts.
        os.set_inheritable(descriptor, False)
        self.lock = threading.Lock()

    def line(self, text):
        # One unbuffered write each: what was written survives a crash.
        with self.lock:
            data = (text + "\n").encode()
            while data:
                data = data[os.write(self.descriptor, data) :]

    def native(self, name, run, word=lambda result: "void"):
        """Runs a native call. Callbacks may call from other threads meanwhile, so each call has a number."""
        with self.lock:
            self.calls += 1
            number = self.calls
        self.line("> %d %s" % (number, name))
        began = time.perf_counter()
        result = run()
        self.line("< %d %s %.3f" % (number, word(result), (time.perf_counter() - began) * 1000))
        return result


class Struct:
    """Memory for one struct, with its fields by name."""

    def __init__(self, layout, count=1):
        self.layout = layout
        self.memory = ctypes.create_string_buffer(layout["size"] * count)
        self.kept = []
        for i in range(count):
            self.at(i).size_itself()

    def at(self, index):
        return View(self, self.layout, index * self.layout["size"])

    @property
    def address(self):
        return ctypes.addressof(self.memory)

    def keep(self, thing):
        """Keeps memory that a field points to, and returns its address."""
        self.kept.append(thing)
        return ctypes.addressof(thing)


WIDTHS = {1: "B", 2: "H", 4: "I", 8: "Q"}


class View:
    """A struct at an offset in the memory of another one."""

    def __init__(self, owner, layout, offset):
        self.owner, self.layout, self.offset = owner, layout, offset

    def size_itself(self):
        if "struct_size" in self.layout["fields"]:
            self.set("struct_size", self.layout["structSize"])

    def place(self, name):
        offset, size = self.layout["fields"][name]
        return self.offset + offset, size

    def has(self, name):
        return name in self.layout["fields"]

    def set(self, name, value):
        offset, size = self.place(name)
        struct.pack_into(WIDTHS[size], self.owner.memory, offset, value & ((1 << (8 * size)) - 1))

    def set_float(self, name, value):
        struct.pack_into("f", self.owner.memory, self.place(name)[0], value)

    def get(self, name):
        offset, size = self.place(name)
        return struct.unpack_from(WIDTHS[size], self.owner.memory, offset)[0]

    def nested(self, name, layout):
        return View(self.owner, layout, self.place(name)[0])

    def set_text(self, name, text):
        data = text.encode()
        self.set(name, self.owner.keep(ctypes.create_string_buffer(data, max(len(data), 1))))
        self.set(name + "_size", len(data))

    def set_numbers(self, name, count, numbers):
        self.set(name, self.owner.keep((ctypes.c_int64 * max(len(numbers), 1))(*numbers)))
        self.set(count, len(numbers))

    def numbers(self, name, count):
        address, length = self.get(name), self.get(count)
        return list((ctypes.c_int64 * length).from_address(address)) if length else []


class Plugin:
    """A plugin in this process, with one client."""

    def __init__(self, task, report):
        self.report = report
        self.functions = task["functions"]
        self.structs = task["structs"]
        self.constants = task["constants"]
        library = report.native("dlopen", lambda: ctypes.CDLL(task["path"], mode=os.RTLD_LAZY | os.RTLD_LOCAL))
        entry = library.GetPjrtApi
        entry.restype, entry.argtypes = ctypes.c_void_p, []
        self.table = report.native("GetPjrtApi", entry)
        if "PJRT_Plugin_Initialize" in self.functions:
            self.call("PJRT_Plugin_Initialize")
        self.client = self.create_client(task["options"])
        devices = self.call("PJRT_Client_AddressableDevices", client=self.client)
        self.device = ctypes.c_void_p.from_address(devices.get("addressable_devices")).value

    def make(self, name, count=1):
        return Struct(self.structs[name], count)

    def entry(self, name):
        known = self.functions.get(name)
        if known is None:
            raise Absent(name)
        return known["args"], FUNCTION(ctypes.c_void_p.from_address(self.table + known["slot"]).value)

    def call(self, name, fill=None, **fields):
        """Calls a function with fields by name, and returns its arguments. Raises Refused for an error."""
        layout, function = self.entry(name)
        args = Struct(layout)
        view = args.at(0)
        for field, value in fields.items():
            view.set(field, value)
        if fill:
            fill(view)
        error = self.report.native(name, lambda: function(args.address), lambda error: "error" if error else "OK")
        if error:
            raise self.taken(name, error)
        return view

    def taken(self, name, error):
        """Reads and destroys an error."""
        code = self.call("PJRT_Error_GetCode", error=error).get("code")
        message = self.void("PJRT_Error_Message", error=error)
        text = ctypes.string_at(message.get("message"), message.get("message_size")).decode("utf-8", "replace")
        self.void("PJRT_Error_Destroy", error=error)
        return Refused(name, code, text)

    def void(self, name, **fields):
        """Calls a function that returns nothing."""
        layout, function = self.entry(name)
        args = Struct(layout)
        for field, value in fields.items():
            args.at(0).set(field, value)
        self.report.native(name, lambda: function(args.address))
        return args.at(0)

    def create_client(self, options):
        values = self.make("PJRT_NamedValue", len(options)) if options else None
        for i, option in enumerate(options):
            view, kind, value = values.at(i), option["kind"], option["value"]
            view.set_text("name", option["name"])
            view.set("type", option["type"])
            view.set("value_size", 1)
            if kind == "string":
                data = value.encode()
                view.set("string_value", values.keep(ctypes.create_string_buffer(data, max(len(data), 1))))
                view.set("value_size", len(data))
            elif kind == "int64_list":
                view.set_numbers("int64_array_value", "value_size", [int(number) for number in value])
            elif kind == "float":
                view.set_float("float_value", value)
            elif kind == "bool":
                view.set("bool_value", 1 if value else 0)
            else:
                view.set("int64_value", int(value))
        made = self.call(
            "PJRT_Client_Create", create_options=values.address if values else 0, num_options=len(options)
        )
        return made.get("client")

    def buffer(self, handle):
        return Buffer(self, handle)

    def default_memory(self):
        """The default memory of the device, where the plugin has memories."""
        try:
            return self.call("PJRT_Device_DefaultMemory", device=self.device).get("memory")
        except (Refused, Absent) as error:
            if isinstance(error, Refused) and error.code != self.constants["PJRT_Error_Code_UNIMPLEMENTED"]:
                raise
            return None

    def wait(self, event):
        """Waits for an event, and destroys it. Without Await it is polled, as the harness does."""
        try:
            try:
                self.call("PJRT_Event_Await", event=event)
            except (Refused, Absent) as error:
                if isinstance(error, Refused) and error.code != self.constants["PJRT_Error_Code_UNIMPLEMENTED"]:
                    raise
                while not self.call("PJRT_Event_IsReady", event=event).get("is_ready"):
                    time.sleep(0.001)
                self.call("PJRT_Event_Error", event=event)
        finally:
            self.call("PJRT_Event_Destroy", event=event)

    def layout_in(self, view, field, minor_to_major):
        """Points a field at a layout without tiles."""
        layout = self.make("PJRT_Buffer_MemoryLayout")
        head = layout.at(0)
        head.set("type", self.constants["PJRT_Buffer_MemoryLayout_Type_Tiled"])
        tiled = head.nested("tiled", self.structs["PJRT_Buffer_MemoryLayout_Tiled"])
        tiled.size_itself()
        tiled.set_numbers("minor_to_major", "minor_to_major_size", minor_to_major)
        view.owner.kept.append(layout)
        view.set(field, layout.address)

    def put(self, data, dtype, shape):
        """Sends dense row-major bytes, and waits until the buffer is ready."""
        host = ctypes.create_string_buffer(data, max(len(data), 1))

        def fill(view):
            view.set("data", ctypes.addressof(host))
            view.set_numbers("dims", "num_dims", shape)

        sent = self.call(
            "PJRT_Client_BufferFromHostBuffer",
            fill,
            client=self.client,
            type=dtype["number"],
            host_buffer_semantics=self.constants["PJRT_HostBufferSemantics_kImmutableOnlyDuringCall"],
            device=self.device,
        )
        self.wait(sent.get("done_with_host_buffer"))
        buffer = self.buffer(sent.get("buffer"))
        buffer.wait()
        return buffer


class Buffer:
    """A PJRT_Buffer of this process."""

    def __init__(self, plugin, handle):
        self.plugin, self.handle = plugin, handle

    def ask(self, name, field=None):
        args = self.plugin.call("PJRT_Buffer_" + name, buffer=self.handle)
        return args.get(field) if field else args

    def wait(self):
        self.plugin.wait(self.ask("ReadyEvent", "event"))

    def pointer(self):
        return self.ask("OpaqueDeviceMemoryDataPointer", "device_memory_ptr")

    def dimensions(self):
        return self.ask("Dimensions").numbers("dims", "num_dims")

    def layout(self):
        """What the buffer says of its memory: a minor-to-major order with the number of tiles, or byte strides."""
        args = self.ask("GetMemoryLayout")
        layout = args.nested("layout", self.plugin.structs["PJRT_Buffer_MemoryLayout"])
        if layout.get("type") == self.plugin.constants["PJRT_Buffer_MemoryLayout_Type_Strides"]:
            strides = layout.nested("strides", self.plugin.structs["PJRT_Buffer_MemoryLayout_Strides"])
            return {"byteStrides": strides.numbers("byte_strides", "num_byte_strides")}
        tiled = layout.nested("tiled", self.plugin.structs["PJRT_Buffer_MemoryLayout_Tiled"])
        return {
            "order": tiled.numbers("minor_to_major", "minor_to_major_size"),
            "tiles": tiled.get("num_tiles"),
        }

    def read(self, size):
        """The contents, dense row-major."""
        host = ctypes.create_string_buffer(max(size, 1))
        rank = len(self.dimensions())

        def fill(view):
            view.set("dst", ctypes.addressof(host))
            self.plugin.layout_in(view, "host_layout", list(reversed(range(rank))))

        copy = self.plugin.call("PJRT_Buffer_ToHostBuffer", fill, src=self.handle, dst_size=size)
        self.plugin.wait(copy.get("event"))
        return base64.b64encode(host.raw[:size]).decode()

    def delete(self):
        self.ask("Delete")

    def destroy(self):
        self.ask("Destroy")
