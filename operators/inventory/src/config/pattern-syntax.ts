/**
 * Reads the regular expressions of RE2 into a tree: literals, `.`, classes, `^ $ \b`, groups, alternatives and repetitions. What needs
 * memory of what was matched before (back-references, look-around) is refused, so that matching takes time linear in the text.
 */
import { CharacterSet, classEscape, type PatternNode, StatusError } from '@quartermaster/kernel';
import { namedClass } from './named-class.ts';

const mostRepetitions = 1000;
const deepestNesting = 50;

export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).parse();
}

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #ignoreCase = false;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternNode {
    if (this.#take('(?i)')) this.#ignoreCase = true;
    const node = this.#choice();
    if (this.#at < this.#source.length) throw this.#refusal('has a ) without a (');
    return node;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) parts.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    // Lazy or not makes no difference to whether there is a match.
    this.#take('?');
    if (this.#bounds() !== undefined) throw this.#refusal('repeats a repetition: use a group');
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined };
    if (this.#take('+')) return { least: 1, most: undefined };
    if (this.#take('?')) return { least: 0, most: 1 };
    const found = /^\{([0-9]{1,5})(,([0-9]{0,5}))?\}/.exec(this.#source.slice(this.#at, this.#at + 16));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === '' ? undefined : Number(found[3]);
    if (Math.max(least, most ?? 0) > mostRepetitions || (most ?? least) < least) {
      throw this.#refusal(`has a repetition ${found[0]} that is not between 0 and ${mostRepetitions} in rising order`);
    }
    return { least, most };
  }

  #atom(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return { kind: 'set', set: this.#class() };
      case '.':
        return { kind: 'set', set: CharacterSet.of('\n').inverted() };
      case '^':
        return { kind: 'assertion', assertion: 'start' };
      case '$':
        return { kind: 'assertion', assertion: 'end' };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw this.#refusal(`has a ${character} with nothing before it: write \\${character} for the character itself`);
      default:
        return this.#literal(character);
    }
  }

  #group(): PatternNode {
    if (/^\?(<?[=!])/.test(this.#source.slice(this.#at))) throw this.#refusal('has a look-around (?= (?! (?<: say it without');
    const opening = /^(\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>)/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += opening.length;
    if (opening === '' && this.#sees('?')) throw this.#refusal('has a group of an unknown kind: use ( or (?:, and (?i) only in front');
    this.#depth += 1;
    if (this.#depth > deepestNesting) throw this.#refusal(`is nested deeper than ${deepestNesting} groups`);
    const inside = this.#choice();
    if (!this.#take(')')) throw this.#refusal('has a ( without a )');
    this.#depth -= 1;
    return inside;
  }

  #escape(): PatternNode {
    const letter = this.#next();
    if (letter === 'b' || letter === 'B') return { kind: 'assertion', assertion: letter === 'b' ? 'boundary' : 'no-boundary' };
    if (letter === 'A' || letter === 'z') return { kind: 'assertion', assertion: letter === 'A' ? 'start' : 'end' };
    const set = classEscape(letter);
    return set === undefined ? this.#literal(this.#escaped(letter)) : { kind: 'set', set };
  }

  /** The character that an escape stands for. */
  #escaped(letter: string): string {
    const control = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' }[letter];
    if (control !== undefined) return control;
    if (letter === 'x') {
      const digits = /^[0-9A-Fa-f]{2}/.exec(this.#source.slice(this.#at))?.[0];
      if (digits === undefined) throw this.#refusal('has a \\x without two hex digits');
      this.#at += 2;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/[1-9]/.test(letter)) throw this.#refusal(`has a back-reference \\${letter}: say it without`);
    if (letter === '' || /[A-Za-z0-9]/.test(letter)) throw this.#refusal(`has an unknown escape \\${letter}`);
    return letter;
  }

  #literal(character: string): PatternNode {
    const set = CharacterSet.of(character);
    return { kind: 'set', set: this.#ignoreCase ? set.withBothCases() : set };
  }

  #class(): CharacterSet {
    const isInverted = this.#take('^');
    let set = CharacterSet.of('');
    for (let isFirst = true; isFirst || !this.#sees(']'); isFirst = false) {
      if (this.#at >= this.#source.length) throw this.#refusal('has a [ without a ]');
      set = set.and(this.#classPart());
    }
    this.#take(']');
    const cased = this.#ignoreCase ? set.withBothCases() : set;
    return isInverted ? cased.inverted() : cased;
  }

  #classPart(): CharacterSet {
    const name = /^\[:(\^?[a-z]+):\]/.exec(this.#source.slice(this.#at, this.#at + 16));
    if (name !== null) {
      this.#at += name[0].length;
      const named = namedClass(name[1] ?? '');
      if (named === undefined) throw this.#refusal(`has an unknown class ${name[0]}`);
      return named;
    }
    const from = this.#classCharacter();
    if (from instanceof CharacterSet) return from;
    if (!this.#sees('-') || this.#source[this.#at + 1] === ']') return CharacterSet.of(from);
    this.#at += 1;
    const to = this.#classCharacter();
    if (to instanceof CharacterSet || codeOf(to) < codeOf(from))
      throw this.#refusal(`has a range in brackets that begins at ${from} and does not rise`);
    return CharacterSet.range(from, to);
  }

  #classCharacter(): string | CharacterSet {
    const character = this.#next();
    if (character === '') throw this.#refusal('has a [ without a ]');
    if (character !== '\\') return character;
    const letter = this.#next();
    return classEscape(letter) ?? this.#escaped(letter);
  }

  /** The next character; empty at the end. */
  #next(): string {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) return '';
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  #refusal(rule: string): StatusError {
    return new StatusError('invalid_argument', `pattern ${JSON.stringify(this.#source)} ${rule}`);
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
