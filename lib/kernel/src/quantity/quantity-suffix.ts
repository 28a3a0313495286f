/** Decimal suffixes from 10^-9 upwards, each a thousand times the one before. */
export const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
export const smallestDecimalExponent = -9;
export const maxDecimalExponent = 18;

/** Binary suffixes from 2^0 upwards, each 1024 times the one before. The first is only ever printed: parsed, it is decimal. */
export const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
