/**
 * Reads regular expressions of RE2: characters, `.`, classes, `^ $ \b`, groups, alternatives and repetitions. What needs memory of what was matched
 * before (back-references, look-around) is refused, so that matching takes time linear in the text.
 *
 * A portable pattern has only what means the same in every engine: no flags, named groups and named classes, no escapes but `\d \w \s` (ASCII), their
 * opposites, control characters and signs, and nothing empty. Everything else is refused, never read as something else.
 */
import { CharacterSet, classEscape, codePointOf, namedClass } from './character-set.ts';
import type { PatternNode } from './pattern-node.ts';
import { PatternProgram } from './pattern-program.ts';

export interface PatternRules {
  readonly isPortable: boolean;
  readonly maxLength: number;
  readonly maxRepetitions: number;
  readonly maxNesting: number;
  /** With repetitions written out. */
  readonly maxSteps: number;
}

export interface CompiledPattern {
  readonly root: PatternNode;
  readonly program: PatternProgram;
}

/** Throws what `refusal` makes of a sentence without its subject: `has a ( without a )`. */
export function compilePattern(source: string, rules: PatternRules, refusal: (problem: string) => Error): CompiledPattern {
  if (source.length > rules.maxLength) throw refusal(`is longer than ${rules.maxLength} characters`);
  const root = new PatternParser(source, rules, refusal).parse();
  const program = PatternProgram.compile(root, rules.maxSteps);
  if (program === undefined) throw refusal('is too large when its repetitions are written out: use smaller ones');
  return { root, program };
}

const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
]);
const sign = /^[!-/:-@[-`{-~]$/;

class PatternParser {
  readonly #source: string;
  readonly #rules: PatternRules;
  readonly #refusal: (problem: string) => Error;
  #at = 0;
  #depth = 0;
  #ignoreCase = false;

  constructor(source: string, rules: PatternRules, refusal: (problem: string) => Error) {
    this.#source = source;
    this.#rules = rules;
    this.#refusal = refusal;
  }

  parse(): PatternNode {
    if (!this.#rules.isPortable && this.#take('(?i)')) this.#ignoreCase = true;
    const node = this.#choice();
    if (this.#at < this.#source.length) throw this.#refusal('has a ) without a (: write \\) for the character itself');
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
    if (this.#rules.isPortable && parts.length === 0) {
      throw this.#refusal('is empty, or has an empty group or alternative: use ? or * for what may be missing');
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    if (this.#rules.isPortable && hasAnchor(part)) throw this.#refusal('repeats ^ or $: move it out of the repetition');
    // Lazy or not makes no difference to whether there is a match.
    this.#take('?');
    if (this.#bounds() !== undefined) throw this.#refusal('repeats a repetition: put the inner one into a group');
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined };
    if (this.#take('+')) return { least: 1, most: undefined };
    if (this.#take('?')) return { least: 0, most: 1 };
    if (!this.#sees('{')) return undefined;
    const found = this.#match(/\{([0-9]{1,5})(,([0-9]{0,5}))?\}/y);
    if (found === null) {
      if (!this.#rules.isPortable) return undefined;
      throw this.#refusal('has a { that begins no repetition {2}, {2,} or {2,5}: write \\{ for the character itself');
    }
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === '' ? undefined : Number(found[3]);
    if (Math.max(least, most ?? 0) > this.#rules.maxRepetitions || (most ?? least) < least) {
      throw this.#refusal(`has a repetition ${found[0]} that does not rise from 0 to at most ${this.#rules.maxRepetitions}`);
    }
    return { least, most };
  }

  #atom(): PatternNode {
    const character = this.#read();
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
      case ']':
      case '{':
      case '}':
        if (!this.#rules.isPortable) return this.#literal(character);
        throw this.#refusal(`has a ${character} that ends or begins nothing: write \\${character} for the character itself`);
      default:
        return this.#literal(character);
    }
  }

  #group(): PatternNode {
    const opening = this.#match(this.#rules.isPortable ? /\?:/y : /\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>/y);
    if (opening === null && this.#sees('?')) {
      throw this.#refusal(
        this.#rules.isPortable
          ? 'has a group other than ( and (?: such as look-around or flags: rewrite the pattern without it'
          : 'has a look-around or another group that is not supported: use (, (?: or (?P<name>, and (?i) only in front',
      );
    }
    this.#depth += 1;
    if (this.#depth > this.#rules.maxNesting) throw this.#refusal(`is nested deeper than ${this.#rules.maxNesting} groups`);
    const inside = this.#choice();
    if (!this.#take(')')) throw this.#refusal('has a ( without a ): write \\( for the character itself');
    this.#depth -= 1;
    return inside;
  }

  #escape(): PatternNode {
    const letter = this.#read();
    if (!this.#rules.isPortable) {
      if (letter === 'b' || letter === 'B') return { kind: 'assertion', assertion: letter === 'b' ? 'boundary' : 'no-boundary' };
      if (letter === 'A' || letter === 'z') return { kind: 'assertion', assertion: letter === 'A' ? 'start' : 'end' };
    }
    const set = classEscape(letter);
    return set === undefined ? this.#literal(this.#escaped(letter)) : { kind: 'set', set };
  }

  /** The character that an escape stands for. */
  #escaped(letter: string): string {
    const control = controls.get(letter);
    if (control !== undefined) return control;
    if (sign.test(letter)) return letter;
    if (letter === '') throw this.#refusal('ends with a \\: write \\\\ for the character itself');
    if (this.#rules.isPortable) {
      throw this.#refusal(
        `has the escape \\${letter}, which does not mean the same everywhere: only \\d \\w \\s \\t \\n \\r \\f and signs have one`,
      );
    }
    if (letter === 'v') return '\v';
    if (letter === 'x') {
      const digits = this.#match(/[0-9A-Fa-f]{2}/y)?.[0];
      if (digits === undefined) throw this.#refusal('has a \\x without two hex digits');
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/[1-9]/.test(letter)) throw this.#refusal(`has a back-reference \\${letter}: rewrite the pattern without it`);
    if (/[A-Za-z0-9]/.test(letter)) throw this.#refusal(`has an unknown escape \\${letter}`);
    return letter;
  }

  #literal(character: string): PatternNode {
    return { kind: 'set', set: this.#cased(CharacterSet.of(character)) };
  }

  #cased(set: CharacterSet): CharacterSet {
    return this.#ignoreCase ? set.withBothCases() : set;
  }

  #class(): CharacterSet {
    const isInverted = this.#take('^');
    if (this.#rules.isPortable && this.#sees(']')) {
      throw this.#refusal('has brackets with nothing in them: write \\] for the character itself');
    }
    let set = CharacterSet.of('');
    do set = set.and(this.#classPart());
    while (!this.#take(']'));
    return isInverted ? this.#cased(set).inverted() : this.#cased(set);
  }

  #classPart(): CharacterSet {
    const name = this.#rules.isPortable ? null : this.#match(/\[:(\^?[a-z]+):\]/y);
    if (name !== null) {
      const named = namedClass(name[1] ?? '');
      if (named === undefined) throw this.#refusal(`has an unknown class ${name[0]}`);
      return named;
    }
    const from = this.#classCharacter();
    if (from instanceof CharacterSet) return from;
    if (!this.#sees('-') || this.#sees('-]')) return CharacterSet.of(from);
    this.#read();
    const to = this.#classCharacter();
    if (to instanceof CharacterSet || codePointOf(to) < codePointOf(from)) {
      throw this.#refusal(`has a range in brackets that begins at ${from} and does not rise`);
    }
    return CharacterSet.range(from, to);
  }

  #classCharacter(): string | CharacterSet {
    const character = this.#read();
    if (character === '') throw this.#refusal('has a [ without a ]: write \\[ for the character itself');
    if (character === '[' && this.#rules.isPortable) {
      throw this.#refusal('has a [ in brackets: write \\[ for the character itself, and ranges instead of named classes');
    }
    if (character !== '\\') return character;
    const letter = this.#read();
    const set = classEscape(letter);
    if (set === undefined) return this.#escaped(letter);
    if (set.isInverted && this.#rules.isPortable) throw this.#refusal(`has \\${letter} in brackets: say what is meant with ranges`);
    return set;
  }

  /** The next character; empty at the end. */
  #read(): string {
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

  /** Takes what a sticky expression finds here. */
  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

function hasAnchor(node: PatternNode): boolean {
  switch (node.kind) {
    case 'assertion':
      return true;
    case 'sequence':
      return node.parts.some(hasAnchor);
    case 'choice':
      return node.options.some(hasAnchor);
    case 'repeat':
      return hasAnchor(node.part);
    case 'set':
      return false;
  }
}
