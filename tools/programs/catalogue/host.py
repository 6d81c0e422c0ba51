"""host: programs that exchange data with callbacks on the host while they run."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

V = tensor("f32", 2, 3)
TOKEN = "!stablehlo.token"
# Types of channels: 2 from the device to the host, 3 from the host to the device.
SEND = (
    f'%sent = "stablehlo.send"(%arg0, %before) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, '
    f"is_host_transfer = true}}> : ({V}, {TOKEN}) -> {TOKEN}"
)
RECEIVE = (
    f'%got:2 = "stablehlo.recv"(%before) <{{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, '
    f"is_host_transfer = true}}> : ({TOKEN}) -> ({V}, {TOKEN})"
)
UNINTERPRETED = "there is no host to exchange data with"


def programs() -> list[Program]:
    before = f"%before = stablehlo.create_token : {TOKEN}\n"
    return [
        program(
            "host/send",
            "x + x, after x was sent to the host on channel 1",
            [V],
            [V],
            f"{before}{SEND}\n%0 = stablehlo.add %arg0, %arg0 : {V}",
            uninterpreted=UNINTERPRETED,
        ),
        program(
            "host/receive",
            "x plus what the host sends on channel 2",
            [V],
            [V],
            f"{before}{RECEIVE}\n%0 = stablehlo.add %arg0, %got#0 : {V}",
            uninterpreted=UNINTERPRETED,
        ),
    ]
