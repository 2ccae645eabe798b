/**
 * Whether a number is a whole multiple of another, as they are written in decimal: `0.0075` is one
 * of `0.0001`.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return Number.isInteger(quotient);
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  const shift = a.exponent - b.exponent;
  const [dividend, unit] =
    shift >= 0 ? [a.digits * 10n ** BigInt(shift), b.digits] : [a.digits, b.digits * 10n ** BigInt(-shift)];
  return dividend % unit === 0n;
}

// A number of JSON has at most 17 digits and an exponent of three, so that what is made of it is
// bounded.
function decimalOf(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toString().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
