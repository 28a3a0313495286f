/** Order by code points, which is that of the bytes in UTF-8 and of the collation "C". JavaScript's own is by UTF-16 units. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i += 1) {
    const difference = rank(left.charCodeAt(i)) - rank(right.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Length in code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) length -= 1;
  return length;
}

/** What PostgreSQL cannot hold in a text; undefined when it can. */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'contains U+0000, which cannot be stored: leave it out';
  return text.isWellFormed() ? undefined : 'contains half of a surrogate pair: send well-formed Unicode';
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right);
}
