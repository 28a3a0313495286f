/** Code points, both ends included. */
export interface CharacterRange {
  readonly from: number;
  readonly to: number;
}

const lastCodePoint = 0x10_ffff;

/** A set of characters: the ranges, or everything but them. Never changes once made. */
export class CharacterSet {
  readonly ranges: readonly CharacterRange[];
  readonly isInverted: boolean;

  private constructor(ranges: readonly CharacterRange[], isInverted: boolean) {
    this.ranges = ranges;
    this.isInverted = isInverted;
  }

  /** Each character of the text. */
  static of(characters: string): CharacterSet {
    return new CharacterSet(
      Array.from(characters, (character) => ({ from: codePointOf(character), to: codePointOf(character) })),
      false,
    );
  }

  static range(from: string, to: string): CharacterSet {
    return new CharacterSet([{ from: codePointOf(from), to: codePointOf(to) }], false);
  }

  and(other: CharacterSet): CharacterSet {
    return new CharacterSet([...this.#plain(), ...other.#plain()], false);
  }

  inverted(): CharacterSet {
    return new CharacterSet(this.ranges, !this.isInverted);
  }

  /** ASCII letters in either case. */
  withBothCases(): CharacterSet {
    const more: CharacterRange[] = [];
    for (const { from, to } of this.#plain()) {
      for (const [start, end, shift] of [[65, 90, 32] as const, [97, 122, -32] as const]) {
        if (from <= end && to >= start) more.push({ from: Math.max(from, start) + shift, to: Math.min(to, end) + shift });
      }
    }
    return new CharacterSet([...this.#plain(), ...more], false);
  }

  has(code: number): boolean {
    return this.ranges.some(({ from, to }) => code >= from && code <= to) !== this.isInverted;
  }

  #plain(): readonly CharacterRange[] {
    if (!this.isInverted) return this.ranges;
    const gaps: CharacterRange[] = [];
    let next = 0;
    for (const { from, to } of this.ranges.toSorted((a, b) => a.from - b.from)) {
      if (from > next) gaps.push({ from: next, to: from - 1 });
      next = Math.max(next, to + 1);
    }
    if (next <= lastCodePoint) gaps.push({ from: next, to: lastCodePoint });
    return gaps;
  }
}

export function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

const digit = CharacterSet.range('0', '9');
const lower = CharacterSet.range('a', 'z');
const upper = CharacterSet.range('A', 'Z');
const space = CharacterSet.of(' \t\n\r\f');
export const word = lower.and(upper).and(digit).and(CharacterSet.of('_'));

const escapes: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digit],
  ['D', digit.inverted()],
  ['w', word],
  ['W', word.inverted()],
  ['s', space],
  ['S', space.inverted()],
]);

const names: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', lower.and(upper).and(digit)],
  ['alpha', lower.and(upper)],
  ['digit', digit],
  ['lower', lower],
  ['upper', upper],
  ['space', space.and(CharacterSet.of('\v'))],
  ['word', word],
  ['xdigit', digit.and(CharacterSet.range('a', 'f')).and(CharacterSet.range('A', 'F'))],
]);

/** `[:alpha:]`, `[:^digit:]` …: by what is between the colons. */
export function namedClass(name: string): CharacterSet | undefined {
  return name.startsWith('^') ? names.get(name.slice(1))?.inverted() : names.get(name);
}

/** `\d`, `\W` …: by the letter after the backslash. */
export function classEscape(letter: string): CharacterSet | undefined {
  return escapes.get(letter);
}
