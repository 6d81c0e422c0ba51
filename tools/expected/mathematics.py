"""Tables of complex functions, Fourier transforms and narrower formats."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from mpmath import mp, mpc, mpf

import functions
import points
from formats import FORMATS

# Working bits. The results are far from ties at this precision; parts below the noise are zero.
PRECISION = 400
NOISE = Fraction(1, 1 << 200)


@dataclass(frozen=True)
class ComplexFormat:
    """Pairs of numbers of `part`, the real one in the low half of the bits."""

    name: str
    part: object

    @property
    def bits(self) -> int:
        return 2 * self.part.bits

    def join(self, real: int, imaginary: int) -> int:
        return imaginary << self.part.bits | real

    def value(self, bits: int):
        parts = bits & ((1 << self.part.bits) - 1), bits >> self.part.bits
        return mpc(*(functions.real(self.part.value(part)) for part in parts))

    def round(self, z) -> int:
        return self.join(*(rounded(self.part, part) for part in (mp.re(z), mp.im(z))))


COMPLEX = {"c64": ComplexFormat("c64", FORMATS["f32"]), "c128": ComplexFormat("c128", FORMATS["f64"])}


def rounded(fmt, x) -> int:
    value = functions.exact(mpf(x))
    return 0 if abs(value) < NOISE else fmt.round(value)


UNARY = {
    "abs": lambda z: abs(z),
    "cosine": mp.cos,
    "exponential": mp.exp,
    "exponential_minus_one": lambda z: mp.exp(z) - 1,
    "log": mp.log,
    "log_plus_one": lambda z: mp.log(1 + z),
    "logistic": lambda z: 1 / (1 + mp.exp(-z)),
    "rsqrt": lambda z: 1 / mp.sqrt(z),
    "sign": lambda z: z / abs(z),
    "sine": mp.sin,
    "sqrt": mp.sqrt,
    "tan": mp.tan,
    "tanh": mp.tanh,
}
BINARY = {"divide": lambda a, b: a / b, "power": lambda a, b: mp.exp(b * mp.log(a))}
POINTS = 64
# Both sides of the branch cuts, and every quadrant.
NEAR_CUTS = ((-4, 1), (-4, -1), (-1, 1), (-1, -1), (-2.5, 0.001), (-2.5, -0.001), (2.5, 0.001), (2.5, -0.001), (0.001, 3), (-0.001, -3))


def complex_points(fmt: ComplexFormat, seed: int) -> list[int]:
    """Magnitudes of about 1/8 to 4, at which no function of the table is large."""
    part = fmt.part
    found = [fmt.join(part.round(Fraction(x)), part.round(Fraction(y))) for x, y in NEAR_CUTS]
    index = 0
    while len(found) < POINTS * 2:
        pair = [points.spread(part, 2 * index + seed + half, -3, 1, "both", half + seed) for half in (0, 1)]
        found.append(fmt.join(*pair))
        index += 1
    return found


def complex_tables(tables, fmt: ComplexFormat) -> None:
    about = "y = f(x), both parts rounded to nearest even from the exact result"
    for op, function in UNARY.items():
        with mp.workprec(PRECISION):
            rows = [(x, function(fmt.value(x))) for x in complex_points(fmt, 0)]
            # Near a pole or a zero a tolerance relative to the largest result would mean nothing.
            rows = [row for row in rows if Fraction(1, 50) < functions.exact(abs(row[1])) < 32][:POINTS]
            out = fmt.part if op == "abs" else fmt
            ys = [rounded(out, y) if op == "abs" else out.round(y) for _, y in rows]
        tables.write_columns(f"complex/{op}_{fmt.name}", op, about, fmt, {"x": (fmt, [x for x, _ in rows], None), "y": (out, ys, None)}, PRECISION)
    for op, function in BINARY.items():
        with mp.workprec(PRECISION):
            pairs = zip(complex_points(fmt, 0), complex_points(fmt, 1)[::-1], strict=True)
            rows = [(a, b, function(fmt.value(a), fmt.value(b))) for a, b in pairs]
            rows = [row for row in rows if Fraction(1, 50) < functions.exact(abs(row[2])) < 32][:POINTS]
            ys = [fmt.round(y) for _, _, y in rows]
        columns = {"a": (fmt, [a for a, _, _ in rows], None), "b": (fmt, [b for _, b, _ in rows], None), "y": (fmt, ys, None)}
        tables.write_columns(f"complex/{op}_{fmt.name}", op, about.replace("f(x)", "f(a, b)"), fmt, columns, PRECISION)


COMPLEX_LENGTHS = ((1,), (2,), (3,), (4,), (5,), (8,), (12,), (13,), (31,), (3, 4), (2, 3, 5))
REAL_LENGTHS = ((1,), (2,), (5,), (8,), (13,), (4, 5), (2, 3, 4))
WIDE = {"fft": ((4,), (13,), (3, 4)), "rfft": ((8,), (13,), (4, 5))}
BATCH = 2


def signal(count: int, seed: int) -> list[int]:
    """Small integers without a pattern."""
    state, found = 2 * seed + 1, []
    for _ in range(count):
        state = state * 48271 % 2147483647
        found.append(state % 19 - 9)
    return found


def transformed(values: list, lengths: tuple[int, ...], sign: int) -> list:
    """The sums that define the transform, one dimension after the other."""
    for axis, n in enumerate(lengths):
        roots = [mp.expjpi(mpf(2 * sign * k) / n) for k in range(n)]
        stride = prod(lengths[axis + 1 :])
        out = [None] * len(values)
        for at in range(len(values)):
            k = at // stride % n
            first = at - k * stride
            out[at] = mp.fsum(values[first + j * stride] * roots[j * k % n] for j in range(n))
        values = out
    return values


def halved(values: list, lengths: tuple[int, ...]) -> list:
    n = lengths[-1]
    return [v for i, v in enumerate(values) if i % n <= n // 2]


def fourier_tables(tables, fmt: ComplexFormat, complex_lengths, real_lengths) -> None:
    part = fmt.part
    forward, inverse, real, back = {}, {}, {}, {}
    with mp.workprec(PRECISION):
        for lengths in complex_lengths:
            size, shape, count = "x".join(map(str, lengths)), [BATCH, *lengths], prod(lengths)
            xs = [mpc(a, b) for a, b in zip(signal(BATCH * count, count), signal(BATCH * count, count + 1), strict=True)]
            lines = [xs[:count], xs[count:]]
            ys = [y for line in lines for y in transformed(line, lengths, -1)]
            zs = [z / count for line in lines for z in transformed(line, lengths, 1)]
            for columns, results in ((forward, ys), (inverse, zs)):
                columns[f"x_{size}"] = (fmt, [fmt.round(x) for x in xs], shape)
                columns[f"y_{size}"] = (fmt, [fmt.round(y) for y in results], shape)
        for lengths in real_lengths:
            size, count = "x".join(map(str, lengths)), prod(lengths)
            shape, half = [BATCH, *lengths], [BATCH, *lengths[:-1], lengths[-1] // 2 + 1]
            xs = signal(BATCH * count, count + 2)
            lines = [xs[:count], xs[count:]]
            ys = [y for line in lines for y in halved(transformed([mpf(x) for x in line], lengths, -1), lengths)]
            real[f"x_{size}"] = (part, [part.round(Fraction(x)) for x in xs], shape)
            real[f"y_{size}"] = (fmt, [fmt.round(y) for y in ys], half)
            # Spectra of real signals: rounding them moves the signal by less than the tolerance.
            back[f"x_{size}"], back[f"y_{size}"] = real[f"y_{size}"], real[f"x_{size}"]
    about = "y = the transform of both x, every part rounded to nearest even from the exact sum"
    for op, columns in (("fft", forward), ("ifft", inverse), ("rfft", real)):
        tables.write_columns(f"fourier/{op}_{fmt.name}", op, about, fmt, columns, PRECISION)
    about = "y = integers; x = their spectrum, every part rounded to nearest even from the exact sum"
    tables.write_columns(f"fourier/irfft_{fmt.name}", "irfft", about, fmt, back, PRECISION)


NARROW = {
    "f16": ((5, 10), (4, 3), (5, 2), (5, 6), (3, 10)),
    "bf16": ((8, 7), (5, 2), (8, 3), (5, 7)),
    "f32": ((8, 23), (5, 10), (8, 7), (4, 3), (5, 2), (8, 3), (5, 23)),
    "f64": ((11, 52), (8, 23), (5, 10), (8, 7)),
}
PRECISION_POINTS = 131


def reduced(fmt, exponent: int, mantissa: int, bits: int) -> int:
    """As StableHLO defines reduce_precision: the mantissa is rounded first, then exponents out of range overflow or vanish."""
    sign, magnitude = bits & fmt.sign, fmt.magnitude(bits)
    if magnitude >= fmt.inf or magnitude == 0:
        return bits
    dropped = fmt.mantissa - mantissa
    if dropped > 0:
        even = magnitude >> dropped & 1
        magnitude = (magnitude + (1 << (dropped - 1)) - 1 + even) >> dropped << dropped
    bias = (1 << (exponent - 1)) - 1
    power = (magnitude >> fmt.mantissa) - fmt.bias
    if power > bias:
        return sign | fmt.inf
    return sign if power < 1 - bias else sign | magnitude


def narrow_points(fmt, exponent: int, mantissa: int) -> list[int]:
    """Zeros, infinities, NaN; ties and their neighbors; both ends of the exponents; numbers of every magnitude."""
    bias = (1 << (exponent - 1)) - 1
    dropped = fmt.mantissa - mantissa
    found = [0, fmt.inf, fmt.nan, fmt.one]
    for power in (0, 1, -1, bias, 1 - bias, -bias, bias + 1):
        field = power + fmt.bias
        if not 0 < field < (1 << fmt.exponent) - 1:
            continue
        first = field << fmt.mantissa
        last = first + (1 << fmt.mantissa) - 1
        found += [first, last]
        if dropped > 0:
            half, step = 1 << (dropped - 1), 1 << dropped
            found += [first + half, first + half + step, last - half, last - half + 1]
            if dropped > 1:
                found += [first + half - 1, first + half + 1]
    found = [x for x in found if not fmt.is_subnormal(x)]
    found = [bits for x in dict.fromkeys(found) for bits in ((x, x | fmt.sign) if x != fmt.nan else (x,))]
    low, high = max(-bias - 3, 1 - fmt.bias), min(bias + 3, fmt.bias)
    index = 0
    while len(found) < PRECISION_POINTS:
        found.append(points.spread(fmt, index, low, high, "both", 0))
        index += 1
    return found[:PRECISION_POINTS]


def precision_tables(tables) -> None:
    about = "y = x in a format of fewer bits, rounded to nearest even; subnormal results are zero"
    for name, formats in NARROW.items():
        fmt = FORMATS[name]
        columns = {}
        for exponent, mantissa in formats:
            xs = narrow_points(fmt, exponent, mantissa)
            columns[f"x_e{exponent}m{mantissa}"] = (fmt, xs, None)
            columns[f"y_e{exponent}m{mantissa}"] = (fmt, [reduced(fmt, exponent, mantissa, x) for x in xs], None)
        tables.write_columns(f"precision/{name}", "reduce_precision", about, fmt, columns, 0)


def write(tables) -> None:
    for fmt in COMPLEX.values():
        complex_tables(tables, fmt)
    fourier_tables(tables, COMPLEX["c64"], COMPLEX_LENGTHS, REAL_LENGTHS)
    fourier_tables(tables, COMPLEX["c128"], WIDE["fft"], WIDE["rfft"])
    precision_tables(tables)
