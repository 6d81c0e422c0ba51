"""Tables of factors, equations and normalized features: small integers, whose roots and quotients are exact."""

from fractions import Fraction

from formats import FORMATS
from mathematics import COMPLEX

# Lower factors with powers of two on the diagonal.
REAL_FACTORS = (((2, 0, 0), (1, 4, 0), (-3, 2, 1)), ((1, 0, 0), (2, 2, 0), (4, -1, 8)))
COMPLEX_FACTORS = (((2, 0, 0), (1 + 1j, 4, 0), (-3, 2 - 1j, 1)), ((1, 0, 0), (2j, 2, 0), (4 - 1j, -1, 8)))
SOLUTION = ((1, -2), (3, 4), (-5, 6))
COMPLEX_SOLUTION = ((1 + 2j, -2), (3 - 1j, 4j), (-5, 6 + 1j))
JUNK = 7


def transposed(m):
    return tuple(zip(*m, strict=True))


def conjugated(m):
    return tuple(tuple(complex(x).conjugate() if isinstance(x, complex) else x for x in row) for row in m)


def times(a, b):
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in transposed(b)) for row in a)


def bits(fmt, values) -> list[int]:
    def part(own, x) -> int:
        found = own.round(Fraction(x))
        if own.value(found) != Fraction(x):
            raise ArithmeticError(f"{x} is not exact in {own.name}")
        return found

    if fmt.name in COMPLEX:
        return [fmt.join(part(fmt.part, complex(x).real), part(fmt.part, complex(x).imag)) for x in values]
    return [part(fmt, x) for x in values]


def column(fmt, *matrices, batched: bool) -> tuple:
    shape = [len(matrices[0]), len(matrices[0][0])]
    return fmt, bits(fmt, [x for m in matrices for row in m for x in row]), [len(matrices), *shape] if batched else shape


def cholesky(fmt) -> dict[str, tuple]:
    """Also with other numbers (`junk`) in the triangle that is not read."""
    factors = COMPLEX_FACTORS if fmt.name in COMPLEX else REAL_FACTORS
    products = [times(l, conjugated(transposed(l))) for l in factors]

    def junk(m, lower: bool):
        return tuple(tuple(x + JUNK if (j > i if lower else j < i) else x for j, x in enumerate(row)) for i, row in enumerate(m))

    return {
        "a": column(fmt, *products, batched=True),
        "lower": column(fmt, *factors, batched=True),
        "upper": column(fmt, *(conjugated(transposed(l)) for l in factors), batched=True),
        "junk_lower": column(fmt, *(junk(m, True) for m in products), batched=True),
        "junk_upper": column(fmt, *(junk(m, False) for m in products), batched=True),
    }


def equation(fmt, left: bool, lower: bool, unit: bool, how: str) -> dict[str, tuple]:
    """a has other numbers in the triangle that is not named and, if the diagonal is said to be one, on the diagonal."""
    wide = fmt.name in COMPLEX
    t = COMPLEX_FACTORS[0] if wide else REAL_FACTORS[0]
    t = tuple(tuple(1 if unit and i == j else x for j, x in enumerate(row)) for i, row in enumerate(t))
    t = t if lower else transposed(t)
    x = COMPLEX_SOLUTION if wide else SOLUTION
    x = x if left else transposed(x)
    applied = {"plain": t, "transpose": transposed(t), "adjoint": conjugated(transposed(t))}[how]
    b = times(applied, x) if left else times(x, applied)

    def stored(i: int, j: int):
        outside = j > i if lower else j < i
        return JUNK + i if outside or (unit and i == j) else t[i][j]

    a = tuple(tuple(stored(i, j) for j in range(3)) for i in range(3))
    name = f"{'left' if left else 'right'}_{'lower' if lower else 'upper'}_{how}{'_unit' if unit else ''}"
    return {f"{key}_{name}": column(fmt, m, batched=False) for key, m in (("a", a), ("b", b), ("x", x))}


def equations(fmt) -> dict[str, tuple]:
    if fmt.name == "f32":
        kinds = [
            (True, True, False, "plain"),
            (True, False, False, "transpose"),
            (False, True, False, "transpose"),
            (False, False, False, "plain"),
            (True, True, True, "transpose"),
            (True, False, True, "plain"),
            (False, True, True, "plain"),
            (False, False, True, "transpose"),
        ]
    elif fmt.name == "f64":
        kinds = [(False, False, False, "transpose")]
    else:
        kinds = [(True, True, False, "adjoint"), (False, False, False, "adjoint")]
    found = {}
    for kind in kinds:
        found |= equation(fmt, *kind)
    if fmt.name == "f32":
        factors, solutions = REAL_FACTORS, (SOLUTION, tuple(reversed(SOLUTION)))
        found["a_batch"] = column(fmt, *factors, batched=True)
        found["b_batch"] = column(fmt, *(times(l, x) for l, x in zip(factors, solutions, strict=True)), batched=True)
        found["x_batch"] = column(fmt, *solutions, batched=True)
    return found


# Deviations from the mean of each feature; with an epsilon of 4 the roots are 4, 2 and 4.
DEVIATIONS = ((-6, 2, 2, 2), (0, 0, 0, 0), (-2, 6, -2, -2))
MEANS, VARIANCES = (5, -3, 10), (12, 0, 12)
SCALE, OFFSET = (2, 3, -4), (1, 5, 0.5)
# Not those of the data.
GIVEN_MEANS, GIVEN_VARIANCES, GIVEN_ROOTS = (1, -1, 4), (12, 0, 60), (4, 2, 8)
ROOTS = (4, 2, 4)
GRADIENTS = ((2, 0, 4, -2), (1, 1, 2, 0), (0, 4, -4, 2))


def placed(fmt, features, layout: str) -> tuple:
    """Four values of each of three features as [2,2,3] (`last`) or [2,3,2] (`middle`)."""
    if layout == "last":
        return fmt, bits(fmt, [features[f][b * 2 + s] for b in range(2) for s in range(2) for f in range(3)]), [2, 2, 3]
    return fmt, bits(fmt, [features[f][b * 2 + s] for b in range(2) for f in range(3) for s in range(2)]), [2, 3, 2]


def normalization(fmt) -> dict[str, tuple]:
    each = range(3)
    x = [[MEANS[f] + d for d in DEVIATIONS[f]] for f in each]
    normal = [[Fraction(d, ROOTS[f]) * SCALE[f] + Fraction(OFFSET[f]) for d in DEVIATIONS[f]] for f in each]
    given = [[Fraction(v - GIVEN_MEANS[f], GIVEN_ROOTS[f]) * SCALE[f] + Fraction(OFFSET[f]) for v in x[f]] for f in each]
    sums = [sum(GRADIENTS[f]) for f in each]
    products = [sum(g * d for g, d in zip(GRADIENTS[f], DEVIATIONS[f], strict=True)) for f in each]
    gradient = [
        [
            Fraction(SCALE[f], ROOTS[f] * 4) * (4 * g - sums[f] - Fraction(d * products[f], ROOTS[f] ** 2))
            for g, d in zip(GRADIENTS[f], DEVIATIONS[f], strict=True)
        ]
        for f in each
    ]
    found = {}
    for layout in ("last", "middle"):
        for key, features in (("x", x), ("y", normal), ("given_y", given), ("g", GRADIENTS), ("gx", gradient)):
            found[f"{key}_{layout}"] = placed(fmt, features, layout)
    rows = {
        "scale": SCALE,
        "offset": OFFSET,
        "mean": MEANS,
        "variance": VARIANCES,
        "given_mean": GIVEN_MEANS,
        "given_variance": GIVEN_VARIANCES,
        "gscale": [Fraction(products[f], ROOTS[f]) for f in each],
        "goffset": sums,
    }
    return found | {key: (fmt, bits(fmt, values), [3]) for key, values in rows.items()}


def write(tables) -> None:
    for fmt in (FORMATS["f32"], FORMATS["f64"], COMPLEX["c64"]):
        about = "lower and upper factors, and the matrices that are their products"
        tables.write_columns(f"matrices/cholesky_{fmt.name}", "cholesky", about, fmt, cholesky(fmt), 0)
        about = "x = the solution of the equation of a and b"
        tables.write_columns(f"matrices/solve_{fmt.name}", "triangular_solve", about, fmt, equations(fmt), 0)
    for name in ("f32", "f64"):
        about = "y = normalized x, given_y = with a given mean and variance, g = a gradient of y, gx = that of x"
        tables.write_columns(f"matrices/batch_norm_{name}", "batch_norm", about, FORMATS[name], normalization(FORMATS[name]), 0)
