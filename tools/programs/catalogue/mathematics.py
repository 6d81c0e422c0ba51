"""linalg, fft, complex, precision: matrices, transforms, functions of complex numbers, narrower formats."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dtypes import tensor
from program import Program, program

from .jax_lowered import lowered


def triangle(dtype: str, lower: bool) -> str:
    """%0 is %f in one triangle and zero in the other, whose contents StableHLO leaves open."""
    t, i, p = tensor(dtype, 2, 3, 3), tensor("s32", 2, 3, 3), tensor("pred", 2, 3, 3)
    order = "GE" if lower else "LE"
    zero = "(0.0, 0.0)" if dtype.startswith("c") else "0.0"
    return f"""%r = stablehlo.iota dim = 1 : {i}
%c = stablehlo.iota dim = 2 : {i}
%m = stablehlo.compare {order}, %r, %c : ({i}, {i}) -> {p}
%z = stablehlo.constant dense<{zero}> : {t}
%0 = stablehlo.select %m, %f, %z : {p}, {t}"""


def factorizations() -> list[Program]:
    found = []
    for dtype, sides in (("f32", (True, False)), ("f64", (True,)), ("c64", (True, False))):
        t = tensor(dtype, 2, 3, 3)
        for lower in sides:
            side = "lower" if lower else "upper"
            found.append(
                program(
                    f"linalg/cholesky_{side}_{dtype}",
                    f"The {side} Cholesky factors of two matrices",
                    [t],
                    [t],
                    f"%f = stablehlo.cholesky %arg0, lower = {str(lower).lower()} : {t}\n{triangle(dtype, lower)}",
                    uninterpreted="the interpreter does not have cholesky",
                )
            )
    found.append(
        lowered(
            "linalg/jax_cholesky_f32",
            "jnp.linalg.cholesky of two matrices",
            jnp.linalg.cholesky,
            ((2, 3, 3), "float32"),
            uninterpreted="the interpreter does not have cholesky",
        )
    )
    found.append(
        lowered(
            "linalg/jax_solve_triangular_f32",
            "jax.scipy.linalg.solve_triangular with two lower matrices",
            lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
            ((2, 3, 3), "float32"),
            ((2, 3, 2), "float32"),
            uninterpreted="the interpreter does not have triangular_solve",
        )
    )
    return found


def solve(dtype: str, left: bool, lower: bool, unit: bool, how: str) -> Program:
    a, b = tensor(dtype, 3, 3), tensor(dtype, 3, 2) if left else tensor(dtype, 2, 3)
    side, triangle_name = "left" if left else "right", "lower" if lower else "upper"
    word = {"NO_TRANSPOSE": "plain", "TRANSPOSE": "transpose", "ADJOINT": "adjoint"}[how]
    text = {"NO_TRANSPOSE": "a", "TRANSPOSE": "transpose(a)", "ADJOINT": "adjoint(a)"}[how]
    equation = f"{text} x = b" if left else f"x {text} = b"
    return program(
        f"linalg/solve_{side}_{triangle_name}_{word}{'_unit' if unit else ''}_{dtype}",
        f"x of {equation}, where a is {triangle_name}{' with ones on the diagonal' if unit else ''}",
        [a, b],
        [b],
        f'%0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{{left_side = {str(left).lower()}, '
        f"lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()}, "
        f"transpose_a = #stablehlo<transpose {how}>}}> : ({a}, {b}) -> {b}",
        uninterpreted="the interpreter does not have triangular_solve",
    )


def solutions() -> list[Program]:
    """Every pair of side, triangle, diagonal and transposition, rather than every combination: they are slow to compile."""
    plain, transpose, adjoint = "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"
    return [
        solve("f32", True, True, False, plain),
        solve("f32", True, False, False, transpose),
        solve("f32", False, True, False, transpose),
        solve("f32", False, False, False, plain),
        solve("f32", True, True, True, transpose),
        solve("f32", True, False, True, plain),
        solve("f32", False, True, True, plain),
        solve("f32", False, False, True, transpose),
        solve("f64", False, False, False, transpose),
        solve("c64", True, True, False, adjoint),
        solve("c64", False, False, False, adjoint),
    ]


def normalizations() -> list[Program]:
    found = []
    for dtype, name, shape, feature in (("f32", "last", (2, 2, 3), 2), ("f64", "middle", (2, 3, 2), 1)):
        x, f = tensor(dtype, *shape), tensor(dtype, 3)
        attributes = f"<{{epsilon = 4.0 : f32, feature_index = {feature} : i64}}>"
        more = {"uninterpreted": "the interpreter does not have batch normalization"}
        about = f"each of three features, along the {name} dimension"
        found += [
            program(
                f"linalg/batch_norm_training_{name}_{dtype}",
                f"Normalizes {about}; the mean and the variance of each",
                [x, f, f],
                [x, f, f],
                f'%0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {attributes} '
                f": ({x}, {f}, {f}) -> ({x}, {f}, {f})",
                results="%0#0, %0#1, %0#2",
                **more,
            ),
            program(
                f"linalg/batch_norm_inference_{name}_{dtype}",
                f"Normalizes {about}, with a given mean and variance",
                [x, f, f, f, f],
                [x],
                f'%0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) {attributes} '
                f": ({x}, {f}, {f}, {f}, {f}) -> {x}",
                **more,
            ),
            program(
                f"linalg/batch_norm_grad_{name}_{dtype}",
                f"The gradients of normalizing {about}",
                [x, f, f, f, x],
                [x, f, f],
                f'%0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg2, %arg3, %arg4) {attributes} '
                f": ({x}, {f}, {f}, {f}, {x}) -> ({x}, {f}, {f})",
                results="%0#0, %0#1, %0#2",
                **more,
            ),
        ]
    return found


# Lengths of transforms: exact roots of unity (1, 2, 4), powers of two, primes, products of primes.
COMPLEX_LENGTHS = ((1,), (2,), (3,), (4,), (5,), (8,), (12,), (13,), (31,), (3, 4), (2, 3, 5))
REAL_LENGTHS = ((1,), (2,), (5,), (8,), (13,), (4, 5), (2, 3, 4))


def transform(kind: str, lengths: tuple[int, ...], wide: bool) -> Program:
    """Two transforms of the same lengths, as a batch."""
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    real, spectrum = ("f64", "c128") if wide else ("f32", "c64")
    inputs, outputs = {
        "FFT": (tensor(spectrum, 2, *lengths), tensor(spectrum, 2, *lengths)),
        "IFFT": (tensor(spectrum, 2, *lengths), tensor(spectrum, 2, *lengths)),
        "RFFT": (tensor(real, 2, *lengths), tensor(spectrum, 2, *half)),
        "IRFFT": (tensor(spectrum, 2, *half), tensor(real, 2, *lengths)),
    }[kind]
    size = "x".join(map(str, lengths))
    return program(
        f"fft/{kind.lower()}_{size}_{spectrum}",
        f"{kind} of length {size} of two arrays",
        [inputs],
        [outputs],
        f"%0 = stablehlo.fft %arg0, type = {kind}, length = [{', '.join(map(str, lengths))}] : ({inputs}) -> {outputs}",
        uninterpreted="the interpreter does not have fft",
    )


def transforms() -> list[Program]:
    wide_lengths = ((4,), (13,), (3, 4))
    return [
        *(transform(kind, lengths, False) for kind in ("FFT", "IFFT") for lengths in COMPLEX_LENGTHS),
        *(transform(kind, lengths, False) for kind in ("RFFT", "IRFFT") for lengths in REAL_LENGTHS),
        *(transform(kind, lengths, True) for kind in ("FFT", "IFFT") for lengths in wide_lengths),
        *(transform(kind, lengths, True) for kind in ("RFFT", "IRFFT") for lengths in ((8,), (13,), (4, 5))),
        lowered(
            "fft/jax_rfft2_f32",
            "jnp.fft.rfft2 of an array",
            jnp.fft.rfft2,
            ((4, 5), "float32"),
            uninterpreted="the interpreter does not have fft",
        ),
    ]


COMPLEX_UNARY = (
    "cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sign sine sqrt tan tanh".split()
)
# Points of the tables fixtures/expected/complex.
COMPLEX_POINTS = 64


def complex_functions() -> list[Program]:
    found = []
    for dtype, real in (("c64", "f32"), ("c128", "f64")):
        t, r = tensor(dtype, COMPLEX_POINTS), tensor(real, COMPLEX_POINTS)
        for op in COMPLEX_UNARY:
            oldest = "1.4.0" if op == "tan" else "1.0.0"
            text = f'%0 = "stablehlo.{op}"(%arg0) : ({t}) -> {t}'
            found.append(program(f"complex/{op}_{dtype}", f"{op}(x)", [t], [t], text, oldest=oldest))
        found.append(
            program(f"complex/abs_{dtype}", "|x|", [t], [r], f"%0 = stablehlo.abs %arg0 : ({t}) -> {r}")
        )
        for op in ("divide", "power"):
            found.append(
                program(f"complex/{op}_{dtype}", f"{op}(a, b)", [t, t], [t], f"%0 = stablehlo.{op} %arg0, %arg1 : {t}")
            )
    t, r = tensor("c128", 131), tensor("f64", 131)
    found += [
        program("complex/real_c128", "The real part", [t], [r], f"%0 = stablehlo.real %arg0 : ({t}) -> {r}"),
        program("complex/imag_c128", "The imaginary part", [t], [r], f"%0 = stablehlo.imag %arg0 : ({t}) -> {r}"),
        program(
            "complex/complex_f64", "a + bi", [r, r], [t], f"%0 = stablehlo.complex %arg0, %arg1 : ({r}, {r}) -> {t}"
        ),
    ]
    return found


# Exponent and mantissa bits: f16, bf16, two 8-bit formats, fewer bits of one kind only, all bits.
FORMATS = {
    "f16": ((5, 10), (4, 3), (5, 2), (5, 6), (3, 10)),
    "bf16": ((8, 7), (5, 2), (8, 3), (5, 7)),
    "f32": ((8, 23), (5, 10), (8, 7), (4, 3), (5, 2), (8, 3), (5, 23)),
    "f64": ((11, 52), (8, 23), (5, 10), (8, 7)),
}
# Points of the tables fixtures/expected/precision.
PRECISION_POINTS = 131


def precisions() -> list[Program]:
    found = []
    for dtype, formats in FORMATS.items():
        t = tensor(dtype, PRECISION_POINTS)
        for exponent, mantissa in formats:
            found.append(
                program(
                    f"precision/e{exponent}m{mantissa}_{dtype}",
                    f"x in a format of {exponent} exponent and {mantissa} mantissa bits",
                    [t],
                    [t],
                    f"%0 = stablehlo.reduce_precision %arg0, format = e{exponent}m{mantissa} : {t}",
                )
            )
    return found


def programs() -> list[Program]:
    return [
        *factorizations(),
        *solutions(),
        *normalizations(),
        *transforms(),
        *complex_functions(),
        *precisions(),
    ]
