"""view: parts, turns and copies of an array as operands of something else. Compilers give such operands no memory of their own."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program


def f32(*shape: int) -> str:
    return tensor("f32", *shape)


def view(name: str, about: str, inputs: list[str], outputs: list[str], body: str, count: int = 1) -> Program:
    results = ", ".join(f"%{n}" for n in range(count))
    return program(f"view/{name}", about, inputs, outputs, body, results=results)


def turned() -> list[Program]:
    x, s = f32(5, 131), f32()
    scaled = f"""%b = stablehlo.broadcast_in_dim %arg1, dims = [] : ({s}) -> {x}
%r = stablehlo.reverse %arg0, dims = [1] : {x}
%0 = stablehlo.multiply %r, %b : {x}
%1 = stablehlo.add %r, %arg0 : {x}"""
    t, y = f32(131, 5), f32(131, 5)
    transposed = f"""%zero = stablehlo.constant dense<0.0> : {s}
%t = stablehlo.transpose %arg0, dims = [1, 0] : ({x}) -> {t}
%0 = stablehlo.add %t, %arg1 : {t}
%1 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : ({t}, {s}) -> {f32(5)}
%2 = stablehlo.dot_general %t, %arg0, contracting_dims = [0] x [1] : ({t}, {x}) -> {f32(5, 5)}"""
    return [
        view("reversed", "A reversed array times a scalar, and plus itself", [x, s], [x, x], scaled, 2),
        view("transposed", "A transposed array in a sum, a reduction and a product", [x, y],
             [t, f32(5), f32(5, 5)], transposed, 3),
    ]  # fmt: skip


def parts() -> list[Program]:
    x, s, d = f32(7, 131), f32(), f32(6, 131)
    left, cut = f32(7, 130), f32(4, 44)
    sliced = f"""%zero = stablehlo.constant dense<0.0> : {s}
%a = stablehlo.slice %arg0 [1:7, 0:131] : ({x}) -> {d}
%b = stablehlo.slice %arg0 [0:6, 0:131] : ({x}) -> {d}
%0 = stablehlo.subtract %a, %b : {d}
%c = stablehlo.slice %arg0 [0:7, 1:131] : ({x}) -> {left}
%d = stablehlo.slice %arg0 [0:7, 0:130] : ({x}) -> {left}
%1 = stablehlo.add %c, %d : {left}
%e = stablehlo.slice %arg0 [0:7:2, 1:131:3] : ({x}) -> {cut}
%2 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : ({cut}, {s}) -> {f32(44)}
%3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : ({d}, {d}) -> {f32(6, 6)}"""
    v = f32(131)
    joined = f"""%a = stablehlo.slice %arg0 [40:131] : ({v}) -> {f32(91)}
%b = stablehlo.slice %arg0 [0:40] : ({v}) -> {f32(40)}
%0 = stablehlo.concatenate %a, %b, dim = 0 : ({f32(91)}, {f32(40)}) -> {v}
%1 = stablehlo.slice %0 [85:97] : ({v}) -> {f32(12)}
%c = stablehlo.slice %arg0 [0:131:2] : ({v}) -> {f32(66)}
%d = stablehlo.slice %arg0 [1:131:2] : ({v}) -> {f32(65)}
%2 = stablehlo.concatenate %c, %d, dim = 0 : ({f32(66)}, {f32(65)}) -> {v}
%3 = stablehlo.add %2, %0 : {v}"""
    wide, y = f32(7, 5, 131), f32(7, 5)
    broadcast = f"""%zero = stablehlo.constant dense<0.0> : {s}
%a = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : ({x}) -> {wide}
%b = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : ({y}) -> {wide}
%p = stablehlo.multiply %a, %b : {wide}
%0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [2] : ({wide}, {s}) -> {y}
%1 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : ({wide}, {s}) -> {f32(5, 131)}"""
    return [
        view("sliced", "Differences of neighbors, sums of a slice with strides, a product of overlapping slices", [x],
             [d, left, f32(44), f32(6, 6)], sliced, 4),
        view("joined", "Slices of one vector joined in another order, and a slice of that", [v],
             [v, f32(12), v, v], joined, 4),
        view("broadcast", "Two broadcast arrays multiplied and summed along either dimension", [x, y],
             [y, f32(5, 131)], broadcast, 2),
    ]  # fmt: skip


def updated() -> list[Program]:
    x, u, i = f32(7, 131), f32(2, 5), tensor("s32")
    written = f"""%c = stablehlo.constant dense<3> : {i}
%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %c : ({x}, {u}, {i}, {i}) -> {x}
%1 = stablehlo.add %arg0, %0 : {x}
%2 = stablehlo.dynamic_slice %arg0, %arg2, %c, sizes = [2, 5] : ({x}, {i}, {i}) -> {u}"""
    v, h = f32(131), f32(60)
    shifted = f"""%zero = stablehlo.constant dense<0> : {i}
%a = stablehlo.dynamic_slice %arg0, %arg1, sizes = [60] : ({v}, {i}) -> {h}
%0 = stablehlo.dynamic_update_slice %arg0, %a, %zero : ({v}, {h}, {i}) -> {v}
%b = stablehlo.dynamic_slice %arg0, %zero, sizes = [60] : ({v}, {i}) -> {h}
%1 = stablehlo.dynamic_update_slice %arg0, %b, %arg1 : ({v}, {h}, {i}) -> {v}"""
    return [
        view("updated", "An argument with a part replaced, and used again as it was", [x, u, i], [x, x, u], written, 3),
        view("shifted", "A part of an array written over another part that overlaps it", [v, i], [v, v], shifted, 2),
    ]


def combined() -> list[Program]:
    x, s, v, w = f32(17, 131), f32(), f32(17), f32(131)
    products = f"""%zero = stablehlo.constant dense<0.0> : {s}
%p = stablehlo.multiply %arg0, %arg1 : {x}
%0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : ({x}, {s}) -> {v}
%1 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : ({x}, {s}) -> {w}
%2 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({x}, {s}) -> {s}"""
    nested = f"""%zero = stablehlo.constant dense<0.0> : {s}
%low = stablehlo.constant dense<0xFF800000> : {s}
%m = stablehlo.reduce(%arg0 init: %low) applies stablehlo.maximum across dimensions = [1] : ({x}, {s}) -> {v}
%b = stablehlo.broadcast_in_dim %m, dims = [0] : ({v}) -> {x}
%d = stablehlo.subtract %arg0, %b : {x}
%q = stablehlo.multiply %d, %arg1 : {x}
%n = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : ({x}, {s}) -> {w}
%c = stablehlo.broadcast_in_dim %n, dims = [1] : ({w}) -> {x}
%0 = stablehlo.add %c, %d : {x}"""
    a, t, flat = f32(5, 7), f32(7, 5), f32(35)
    returned = f"""%0 = stablehlo.add %arg0, %arg0 : {a}
%1 = stablehlo.transpose %0, dims = [1, 0] : ({a}) -> {t}
%2 = stablehlo.reshape %0 : ({a}) -> {flat}
%3 = stablehlo.slice %0 [1:3, 2:5] : ({a}) -> {f32(2, 3)}
%4 = stablehlo.transpose %arg0, dims = [1, 0] : ({a}) -> {t}
%5 = stablehlo.reshape %arg0 : ({a}) -> {flat}"""
    return [
        view("products", "Sums of a product along each dimension and over all", [x, x], [v, w, s], products, 3),
        view("nested", "A sum along columns of what depends on extremes of rows, and both in one result", [x, x], [x],
             nested),
        program("view/returned", "One value twice, its views, the argument and views of it", [a],
                [a, a, t, flat, f32(2, 3), a, t, flat], returned, results="%0, %0, %1, %2, %3, %arg0, %4, %5"),
    ]  # fmt: skip


def programs() -> list[Program]:
    return [*turned(), *parts(), *updated(), *combined()]
