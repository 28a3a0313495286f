interface Range {
  readonly from: number;
  readonly to: number;
}

/** A set of UTF-16 code units, as ranges. Never changes once made. */
export class CharacterSet {
  readonly #ranges: readonly Range[];
  readonly #isInverted: boolean;

  private constructor(ranges: readonly Range[], isInverted: boolean) {
    this.#ranges = ranges;
    this.#isInverted = isInverted;
  }

  /** Each character of the text. */
  static of(characters: string): CharacterSet {
    return new CharacterSet(
      Array.from({ length: characters.length }, (_, i) => ({ from: characters.charCodeAt(i), to: characters.charCodeAt(i) })),
      false,
    );
  }

  static range(from: string, to: string): CharacterSet {
    return new CharacterSet([{ from: from.charCodeAt(0), to: to.charCodeAt(0) }], false);
  }

  and(other: CharacterSet): CharacterSet {
    return new CharacterSet([...this.#plain(), ...other.#plain()], false);
  }

  inverted(): CharacterSet {
    return new CharacterSet(this.#ranges, !this.#isInverted);
  }

  /** ASCII letters in either case. */
  withBothCases(): CharacterSet {
    const more: Range[] = [];
    for (const { from, to } of this.#plain()) {
      for (const [start, end, shift] of [[65, 90, 32] as const, [97, 122, -32] as const]) {
        if (from <= end && to >= start) more.push({ from: Math.max(from, start) + shift, to: Math.min(to, end) + shift });
      }
    }
    return new CharacterSet([...this.#plain(), ...more], false);
  }

  has(code: number): boolean {
    return this.#ranges.some(({ from, to }) => code >= from && code <= to) !== this.#isInverted;
  }

  #plain(): readonly Range[] {
    if (!this.#isInverted) return this.#ranges;
    const gaps: Range[] = [];
    let next = 0;
    for (const { from, to } of this.#ranges.toSorted((a, b) => a.from - b.from)) {
      if (from > next) gaps.push({ from: next, to: from - 1 });
      next = Math.max(next, to + 1);
    }
    if (next <= 0xffff) gaps.push({ from: next, to: 0xffff });
    return gaps;
  }
}

const digit = CharacterSet.range('0', '9');
const lower = CharacterSet.range('a', 'z');
const upper = CharacterSet.range('A', 'Z');
const alpha = lower.and(upper);
const space = CharacterSet.of(' \t\n\r\f');
export const wordCharacters = alpha.and(digit).and(CharacterSet.of('_'));

const escapes: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digit],
  ['D', digit.inverted()],
  ['w', wordCharacters],
  ['W', wordCharacters.inverted()],
  ['s', space],
  ['S', space.inverted()],
]);

const names: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', alpha.and(digit)],
  ['alpha', alpha],
  ['digit', digit],
  ['lower', lower],
  ['upper', upper],
  ['space', space.and(CharacterSet.of('\v'))],
  ['word', wordCharacters],
  ['xdigit', digit.and(CharacterSet.range('a', 'f')).and(CharacterSet.range('A', 'F'))],
]);

/** `\d`, `\W` …: by the letter after the backslash. */
export function classEscape(letter: string): CharacterSet | undefined {
  return escapes.get(letter);
}

/** `[:alpha:]`, `[:^digit:]` …: by what is between the colons. */
export function namedClass(name: string): CharacterSet | undefined {
  return name.startsWith('^') ? names.get(name.slice(1))?.inverted() : names.get(name);
}
