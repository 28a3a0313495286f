const digits = '0123456789abcdefghijklmnopqrstuv';

/** RFC 4648 base32hex in lower case, without padding: names that the ecosystem makes of hashes. */
export function base32Hex(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += digits.charAt((value >> bits) & 31);
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + digits.charAt((value << (5 - bits)) & 31) : text;
}
