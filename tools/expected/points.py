"""Where functions are tabulated: special points, then points spread over binades with low-discrepancy mantissas."""

from fractions import Fraction

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def weyl(i: int) -> int:
    """The i-th of a low-discrepancy sequence of 64-bit integers (multiples of the golden ratio)."""
    return (i * GOLDEN) & MASK


def mix(x: int) -> int:
    """A 64-bit hash (splitmix64's finaliser), for choices that must look independent."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


# Per op: exponent range of the magnitudes ("all" is every normal binade), signs, and the finite domain [low, high].
TRIG = (-20, 11, "both", -3216, 3216)
UNARY = {
    "sine": TRIG,
    "cosine": TRIG,
    "tan": (-20, 7, "both", -100, 100),
    "exponential": (-20, 10, "both", "exp", "exp"),
    "exponential_minus_one": (-20, 10, "both", "exp", "exp"),
    "log": ("all", "all", "plus", None, None),
    "log_plus_one": ("all", "all", "both", Fraction(-255, 256), None),
    "logistic": (-20, 7, "both", "exp", "exp"),
    "tanh": (-20, 7, "both", -100, 100),
    "sqrt": ("all", "all", "plus", None, None),
    "rsqrt": ("all", "all", "plus", None, None),
    "cbrt": ("all", "all", "both", None, None),
    "abs": ("all", "all", "both", None, None),
    "negate": ("all", "all", "both", None, None),
    "floor": (-4, "round", "both", None, None),
    "ceil": (-4, "round", "both", None, None),
    "round_nearest_even": (-4, "round", "both", None, None),
    "round_nearest_afz": (-4, "round", "both", None, None),
    "sign": ("all", "all", "both", None, None),
}

# Ops whose results at NaN and infinity are fixed by IEEE 754; elsewhere such results are implementation-defined.
IEEE = {"sqrt", "abs", "negate", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "sign"}
IEEE_BINARY = {"add", "subtract", "multiply", "divide", "maximum", "minimum"}
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "atan2", "remainder")

# exp stays a normal number, neither overflowing nor subnormal: ln of the normal range, rounded inwards.
EXP_LIMITS = {"f16": (-9, 11), "bf16": (-87, 88), "f32": (-87, 88), "f64": (-708, 709)}


def domain_of(op: str, fmt):
    _, _, signs, low, high = UNARY[op]
    if low == "exp":
        low, high = EXP_LIMITS[fmt.name]
    return signs, low, high


def inside(op: str, fmt, bits: int) -> bool:
    signs, low, high = domain_of(op, fmt)
    x = fmt.value(bits)
    if signs == "plus" and (fmt.negative(bits) or (x == 0 and op != "sqrt")):
        return False
    return (low is None or x >= low) and (high is None or x <= high)


def specials(fmt) -> list[int]:
    """Normal and zero bit patterns where functions tend to break, both signs."""
    one, step = fmt.one, fmt.min_normal
    halves = [fmt.round(Fraction(n, 2)) for n in (1, 3, 5, 7, 9, 15, 199)]
    near = [fmt.round(Fraction(n)) for n in (2, 3, 4, 8, 9, 10, 16, 25, 100)]
    quarter_pi = [Fraction(785398163397448309615660845819875721049, 10**39) * n for n in (1, 2, 3, 4, 6, 8)]
    magnitudes = [0, step, step + 1, fmt.inf - 1, fmt.inf - 2, one - 1, one, one + 1, one - 2, one + 2]
    magnitudes += halves + [h + d for h in halves[:3] for d in (-1, 1)]
    magnitudes += near + [fmt.round(x) for x in quarter_pi]
    # Perfect squares and their neighbours; ties and the last fraction bit for the roundings to integers.
    magnitudes += [near[5 - 1] - 1, near[5 - 1] + 1, fmt.round(Fraction(2) ** (fmt.mantissa + 1)) - 1]
    magnitudes += [fmt.round(Fraction(2) ** fmt.mantissa - Fraction(1, 2)), fmt.round(Fraction(2) ** (fmt.mantissa - 1) + Fraction(1, 2))]
    return list(dict.fromkeys(b | s for b in magnitudes for s in (0, fmt.sign)))


def exponents(fmt, low, high) -> tuple[int, int]:
    first = 1 - fmt.bias if low == "all" else max(low, 1 - fmt.bias)
    if high == "all":
        return first, fmt.bias
    return first, min(fmt.mantissa + 2 if high == "round" else high, fmt.bias)


def spread(fmt, i: int, low: int, high: int, signs: str, salt: int) -> int:
    """The i-th stratified point: binades in turn, signs by hash, mantissas from the low-discrepancy sequence."""
    binade = low + (mix(i + salt) % (high - low + 1) if salt else i % (high - low + 1))
    mantissa = weyl(i + 1 + salt) >> (64 - fmt.mantissa)
    sign = fmt.sign if signs == "both" and mix(i + 977 * (salt + 1)) & 1 else 0
    return sign | ((binade + fmt.bias) << fmt.mantissa) | mantissa


def unary_points(op: str, fmt, count: int) -> list[int]:
    low, high, signs, _, _ = UNARY[op]
    low, high = exponents(fmt, low, high)
    points = [b for b in specials(fmt) if inside(op, fmt, b)]
    if op in IEEE:
        points += [fmt.inf, fmt.inf | fmt.sign, fmt.nan] if op != "sqrt" else [fmt.inf, fmt.nan, fmt.sign | fmt.one]
    if op in ("log", "log_plus_one"):
        # Near its zero log needs an argument close to 1 with all bits in play.
        base = fmt.one if op == "log" else 0
        points += [fmt.one + d for d in (3, 5, 9, -3, -5, -9)] if base else [fmt.round(Fraction(s, 1000)) for s in (1, -1, 7, -7)]
    seen = dict.fromkeys(points)
    i = 0
    while len(seen) < count:
        bits = spread(fmt, i, low, high, signs, 0)
        if inside(op, fmt, bits):
            seen[bits] = None
        i += 1
        # Narrow types run out of points in narrow domains: then repeat with other mantissas via the hash.
        if i > 64 * count:
            raise ArithmeticError(f"{op} {fmt.name}: not enough points")
    return list(seen)[:count]


def binary_inside(op: str, fmt, a: int, b: int) -> bool:
    x, y = fmt.value(a), fmt.value(b)
    if op == "power":
        return not fmt.negative(a) and Fraction(1, 16) <= x <= 16 and abs(y) <= 3
    if op == "remainder":
        return y != 0 and abs(x / y) < 2**20
    if op == "atan2":
        return y == 0 or x == 0 or Fraction(1, 2**10) <= abs(x / y) <= 2**10
    return True


def binary_points(op: str, fmt, count: int) -> list[tuple[int, int]]:
    base = [0, fmt.sign, fmt.one, fmt.one | fmt.sign, fmt.one + 1, fmt.inf - 1, fmt.min_normal, fmt.round(Fraction(-3, 2))]
    if op in IEEE_BINARY:
        base += [fmt.inf, fmt.inf | fmt.sign, fmt.nan]
        pairs = [(a, b) for a in base for b in base]
    else:
        pairs = [(a, b) for a in base for b in base if binary_inside(op, fmt, a, b)]
    low, high = {"power": (-4, 3), "atan2": (-8, 8), "remainder": (-6, 12)}.get(op, (1 - fmt.bias, fmt.bias))
    if op == "remainder":
        high = min(high, fmt.bias)
    seen = dict.fromkeys(pairs)
    i = 0
    while len(seen) < count:
        i += 1
        a = spread(fmt, i, low, high, "plus" if op == "power" else "both", 0)
        if op in ("add", "subtract"):
            # Exponents far apart only return an operand; keep them within reach of each other.
            exponent = (a >> fmt.mantissa) % (1 << fmt.exponent) - fmt.bias
            reach = fmt.mantissa + 2
            b = spread(fmt, i, max(low, exponent - reach), min(high, exponent + reach), "both", 7919)
        else:
            b = spread(fmt, i, low, high, "both", 7919)
        if op in IEEE_BINARY or binary_inside(op, fmt, a, b):
            seen[(a, b)] = None
    return list(seen)[:count]


def subnormals(fmt) -> list[int]:
    """Subnormal patterns in both signs."""
    top = fmt.min_normal
    third = top // 3
    magnitudes = dict.fromkeys((1, 2, 3, third, top // 2, top - third, top - 2, top - 1))
    return [m | s for m in magnitudes for s in (0, fmt.sign)]
