"""The reference functions: exact where they can be, else by mpmath with the rounding checked (Ziv's strategy)."""

from fractions import Fraction
from math import isqrt

from mpmath import mp, mpf

# Bits of a result at the working precision that are taken for wrong.
DOUBT = 32
MAX_PRECISION = 4096


class Rounding:
    """Counts the precision that was needed, for the manifest."""

    def __init__(self):
        self.precision = 0


def exact(value) -> Fraction:
    """An mpf as a fraction."""
    sign, man, exp, _ = value._mpf_
    fraction = Fraction(int(man)) * Fraction(2) ** int(exp)
    return -fraction if sign else fraction


def real(x: Fraction):
    """A fraction whose denominator is a power of two as an mpf, exactly."""
    return mp.ldexp(mpf(x.numerator), 1 - x.denominator.bit_length())


def ziv(fmt, compute, used: Rounding) -> int:
    """Rounds an irrational result: doubles the precision until both ends of the doubt round to the same bits."""
    precision = fmt.mantissa + 96
    while precision <= MAX_PRECISION:
        # Operands are exact at any precision that holds their significand; `compute` must not round them.
        with mp.workprec(precision):
            value = exact(compute())
        doubt = abs(value) / (1 << (precision - DOUBT))
        low, high = fmt.round(value - doubt), fmt.round(value + doubt)
        if low == high:
            used.precision = max(used.precision, precision)
            return low
        precision *= 2
    raise ArithmeticError(f"rounding is still open at {MAX_PRECISION} bits")


def rational_root(fmt, x: Fraction, degree: int) -> int:
    """x^(1/degree) for positive x, correctly rounded: an integer root with many bits, and one more if inexact."""
    # Scale by 2^(degree·k) so that the integer root has far more bits than the format.
    k = max(0, fmt.mantissa + 64 - (x.numerator.bit_length() - x.denominator.bit_length()) // degree)
    scaled = x * Fraction(2) ** (degree * k)
    whole = scaled.numerator // scaled.denominator
    root = isqrt(whole) if degree == 2 else icbrt(whole)
    value = Fraction(root)
    if root**degree != scaled:
        value += Fraction(1, 2)
    return fmt.round(value / Fraction(2) ** k)


def icbrt(n: int) -> int:
    """Largest integer whose cube is at most n."""
    x = 1 << -(-n.bit_length() // 3)
    while True:
        y = (2 * x + n // (x * x)) // 3
        if y >= x:
            return x
        x = y


def floor_of(x: Fraction) -> int:
    return x.numerator // x.denominator


def unary(op: str, fmt, bits: int, used: Rounding) -> int:
    """f(bits), correctly rounded. The inputs of each op are limited by points.py to where f is defined."""
    negative = fmt.negative(bits)
    if op == "negate":
        return bits ^ fmt.sign
    if op == "abs":
        return fmt.magnitude(bits)
    if fmt.is_nan(bits):
        return fmt.nan
    if op in ("floor", "ceil", "round_nearest_even", "round_nearest_afz", "sign"):
        return to_integer(op, fmt, bits)
    if op == "sqrt":
        if fmt.is_zero(bits) or bits == fmt.inf:
            return bits
        return fmt.nan if negative else rational_root(fmt, fmt.value(bits), 2)
    if not fmt.is_finite(bits):
        raise ValueError(f"{op} is not tabulated at infinity")
    x = fmt.value(bits)
    if op == "rsqrt":
        return rational_root(fmt, 1 / x, 2)
    if op == "cbrt":
        return (fmt.sign if negative else 0) | (bits if x == 0 else rational_root(fmt, abs(x), 3))
    if x == 0:
        at_zero = {"cosine": fmt.one, "exponential": fmt.one, "logistic": fmt.one - fmt.min_normal}
        return at_zero.get(op, bits)
    if op == "log" and x == 1:
        return 0
    compute = {
        "sine": lambda: mp.sin(real(x)),
        "cosine": lambda: mp.cos(real(x)),
        "tan": lambda: mp.tan(real(x)),
        "exponential": lambda: mp.exp(real(x)),
        "exponential_minus_one": lambda: mp.expm1(real(x)),
        "log": lambda: mp.log(real(x)),
        "log_plus_one": lambda: mp.log1p(real(x)),
        "logistic": lambda: 1 / (1 + mp.exp(-real(x))),
        "tanh": lambda: mp.tanh(real(x)),
    }[op]
    return ziv(fmt, compute, used)


def to_integer(op: str, fmt, bits: int) -> int:
    if op == "sign":
        return bits if fmt.is_zero(bits) else fmt.one | (bits & fmt.sign)
    if not fmt.is_finite(bits):
        return bits
    x = fmt.value(bits)
    whole = {
        "floor": lambda: floor_of(x),
        "ceil": lambda: -floor_of(-x),
        "round_nearest_even": lambda: round(x),
        "round_nearest_afz": lambda: floor_of(abs(x) + Fraction(1, 2)) * (-1 if x < 0 else 1),
    }[op]()
    return fmt.round(Fraction(whole), fmt.negative(bits))


def binary(op: str, fmt, a: int, b: int, used: Rounding) -> int:
    """f(a, b), correctly rounded, with IEEE 754 results for zeros, infinities and NaNs."""
    if fmt.is_nan(a) or fmt.is_nan(b):
        return fmt.nan
    if op == "subtract":
        return binary("add", fmt, a, b ^ fmt.sign, used)
    if op in ("maximum", "minimum"):
        order = lambda x: -fmt.magnitude(x) - 1 if fmt.negative(x) else fmt.magnitude(x)
        return (max if op == "maximum" else min)(a, b, key=order)
    return {"add": add, "multiply": multiply, "divide": divide, "remainder": remainder, "power": power, "atan2": atan2}[op](
        fmt, a, b, used
    )


def add(fmt, a: int, b: int, _) -> int:
    if fmt.is_inf(a) or fmt.is_inf(b):
        if fmt.is_inf(a) and fmt.is_inf(b) and a != b:
            return fmt.nan
        return a if fmt.is_inf(a) else b
    both_negative = fmt.negative(a) and fmt.negative(b)
    return fmt.round(fmt.value(a) + fmt.value(b), both_negative)


def multiply(fmt, a: int, b: int, _) -> int:
    sign = (a ^ b) & fmt.sign
    if fmt.is_inf(a) or fmt.is_inf(b):
        return fmt.nan if fmt.is_zero(a) or fmt.is_zero(b) else fmt.inf | sign
    return sign | fmt.round(abs(fmt.value(a) * fmt.value(b)))


def divide(fmt, a: int, b: int, _) -> int:
    sign = (a ^ b) & fmt.sign
    if (fmt.is_inf(a) and fmt.is_inf(b)) or (fmt.is_zero(a) and fmt.is_zero(b)):
        return fmt.nan
    if fmt.is_inf(a) or fmt.is_zero(b):
        return fmt.inf | sign
    return sign if fmt.is_inf(b) else sign | fmt.round(abs(fmt.value(a) / fmt.value(b)))


def remainder(fmt, a: int, b: int, _) -> int:
    x, y = abs(fmt.value(a)), abs(fmt.value(b))
    return (a & fmt.sign) | fmt.round(x - y * floor_of(x / y))


def power(fmt, a: int, b: int, used: Rounding) -> int:
    x, y = fmt.value(a), fmt.value(b)
    if y == 0:
        return fmt.one
    if y.denominator == 1 and abs(y) <= 256:
        return fmt.round(x ** int(y))
    # x^(p/2^q) is rational only if x is a 2^q-th power: take square roots as long as they come out.
    root, exponent = x, y
    while exponent.denominator > 1:
        top, bottom = isqrt(root.numerator), isqrt(root.denominator)
        if top * top != root.numerator or bottom * bottom != root.denominator:
            return ziv(fmt, lambda: mp.power(real(x), real(y)), used)
        root, exponent = Fraction(top, bottom), exponent * 2
    return fmt.round(root ** int(exponent))


def atan2(fmt, a: int, b: int, used: Rounding) -> int:
    y, x = fmt.value(a), fmt.value(b)
    sign = a & fmt.sign
    if y == 0:
        return sign if not fmt.negative(b) else sign | ziv(fmt, lambda: mp.pi + 0, used)
    if x == 0:
        return sign | ziv(fmt, lambda: mp.pi / 2, used)
    return ziv(fmt, lambda: mp.atan2(real(y), real(x)), used)
