"""Binary floating-point formats: bits to exact fractions, and exact fractions to correctly rounded bits."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """An IEEE 754 style format: sign, `exponent` bits, `mantissa` stored fraction bits."""

    name: str
    exponent: int
    mantissa: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def inf(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def nan(self) -> int:
        return self.inf | (1 << (self.mantissa - 1))

    @property
    def min_normal(self) -> int:
        return 1 << self.mantissa

    @property
    def one(self) -> int:
        return self.bias << self.mantissa

    def magnitude(self, bits: int) -> int:
        return bits & (self.sign - 1)

    def negative(self, bits: int) -> bool:
        return bits & self.sign != 0

    def is_nan(self, bits: int) -> bool:
        return self.magnitude(bits) > self.inf

    def is_inf(self, bits: int) -> bool:
        return self.magnitude(bits) == self.inf

    def is_zero(self, bits: int) -> bool:
        return self.magnitude(bits) == 0

    def is_finite(self, bits: int) -> bool:
        return self.magnitude(bits) < self.inf

    def is_subnormal(self, bits: int) -> bool:
        return 0 < self.magnitude(bits) < self.min_normal

    def value(self, bits: int) -> Fraction:
        """The exact value of finite bits (the sign of zero is lost)."""
        magnitude = self.magnitude(bits)
        field, fraction = divmod(magnitude, 1 << self.mantissa)
        significand = fraction + (self.min_normal if field else 0)
        exponent = max(field, 1) - self.bias - self.mantissa
        value = Fraction(significand) * Fraction(2) ** exponent
        return -value if self.negative(bits) else value

    def round(self, value: Fraction, negative_zero: bool = False) -> int:
        """Bits nearest to an exact value, ties to even; overflow gives infinity."""
        if value == 0:
            return self.sign if negative_zero else 0
        size = abs(value)
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        if Fraction(2) ** exponent > size:
            exponent -= 1
        emin = 1 - self.bias
        exponent = max(exponent, emin)
        scaled = size / Fraction(2) ** (exponent - self.mantissa)
        n = round(scaled)  # Python rounds fractions half to even.
        magnitude = min(((exponent - emin) << self.mantissa) + n, self.inf)
        return magnitude | (self.sign if value < 0 else 0)


FORMATS = {f.name: f for f in (Format("f16", 5, 10), Format("bf16", 8, 7), Format("f32", 8, 23), Format("f64", 11, 52))}
