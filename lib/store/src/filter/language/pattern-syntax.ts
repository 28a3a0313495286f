/**
 * The regular expressions that filters have: the part of RE2 that has one meaning in every engine. Characters, `.`, classes, `\d \w \s` (ASCII) and
 * their opposites, `^`, `$`, groups, alternatives and bounded or unbounded repetitions. Everything else is refused, never read as something else.
 */
import { CharacterSet, classEscape, type PatternNode } from '@quartermaster/kernel';
import { FilterProblem, quoted } from './filter-problem.ts';
import { compareText } from './text.ts';

const longestPattern = 500;
const mostRepetitions = 100;
const deepestNesting = 20;

const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
]);
const punctuation = /^[!-/:-@[-`{-~]$/;

/** `at` is the place of the pattern in the expression. */
export function parsePattern(source: string, at: number): PatternNode {
  if (source.length > longestPattern) throw new FilterProblem(at, `the pattern is longer than ${longestPattern} characters`);
  return new PatternParser(source, at).parse();
}

class PatternParser {
  readonly #source: string;
  readonly #place: number;
  readonly #characters: readonly string[];
  #next = 0;
  #depth = 0;

  constructor(source: string, place: number) {
    this.#source = source;
    this.#place = place;
    this.#characters = Array.from(source);
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#peek() !== undefined) throw this.#refusal('has a ) without a (: write \\) for the character itself');
    return node;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom()));
    }
    if (parts.length === 0) throw this.#refusal('is empty, or has an empty group or alternative: use ? or * for what may be missing');
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    if (hasAnchor(part)) throw this.#refusal('repeats ^ or $: move it out of the repetition');
    // Lazy or not makes no difference to whether there is a match.
    this.#take('?');
    if (this.#bounds() !== undefined) throw this.#refusal('repeats a repetition: put the inner one into a group');
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined };
    if (this.#take('+')) return { least: 1, most: undefined };
    if (this.#take('?')) return { least: 0, most: 1 };
    if (this.#peek() !== '{') return undefined;
    const text = this.#characters.slice(this.#next, this.#next + 12).join('');
    const found = /^\{([0-9]{1,4})(,([0-9]{0,4}))?\}/.exec(text);
    if (found === null) throw this.#refusal('has a { that begins no repetition {2}, {2,} or {2,5}: write \\{ for the character itself');
    this.#next += found[0].length;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === '' ? undefined : Number(found[3]);
    if (Math.max(least, most ?? 0) > mostRepetitions || (most ?? least) < least) {
      throw this.#refusal(`has a repetition ${found[0]} that does not rise from 0 to at most ${mostRepetitions}`);
    }
    return { least, most };
  }

  #atom(): PatternNode {
    const character = this.#read();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
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
        throw this.#refusal(`has a ${character} that ends or begins nothing: write \\${character} for the character itself`);
      default:
        return single(character);
    }
  }

  #group(): PatternNode {
    if (this.#take('?') && !this.#take(':'))
      throw this.#refusal('has a group other than ( and (?: such as look-around or flags: say it without');
    this.#depth += 1;
    if (this.#depth > deepestNesting) throw this.#refusal(`is nested deeper than ${deepestNesting} groups`);
    const inside = this.#choice();
    if (!this.#take(')')) throw this.#refusal('has a ( without a ): write \\( for the character itself');
    this.#depth -= 1;
    return inside;
  }

  #escape(): PatternNode {
    const letter = this.#read();
    const set = classEscape(letter);
    return set === undefined ? single(this.#escaped(letter)) : { kind: 'set', set };
  }

  /** The character that an escape stands for. */
  #escaped(letter: string): string {
    const control = controls.get(letter);
    if (control !== undefined) return control;
    if (punctuation.test(letter)) return letter;
    throw this.#refusal(
      `has the escape \\${letter}, which does not mean the same everywhere: only \\d \\w \\s \\t \\n \\r \\f and signs have one`,
    );
  }

  #class(): PatternNode {
    const isInverted = this.#take('^');
    let set = CharacterSet.of('');
    while (!this.#take(']')) set = set.and(this.#classPart());
    if (set.ranges.length === 0) throw this.#refusal('has brackets with nothing in them: write \\] for the character itself');
    return { kind: 'set', set: isInverted ? set.inverted() : set };
  }

  #classPart(): CharacterSet {
    const from = this.#classCharacter();
    if (typeof from !== 'string') return from;
    if (this.#peek() !== '-' || this.#characters[this.#next + 1] === ']') return CharacterSet.of(from);
    this.#read();
    const to = this.#classCharacter();
    if (typeof to !== 'string' || compareText(to, from) < 0)
      throw this.#refusal(`has a range in brackets that begins at ${from} and does not rise`);
    return CharacterSet.range(from, to);
  }

  #classCharacter(): string | CharacterSet {
    const character = this.#read();
    if (character === '[')
      throw this.#refusal('has a [ in brackets: write \\[ for the character itself, and ranges instead of named classes');
    if (character !== '\\') return character;
    const letter = this.#read();
    const set = classEscape(letter);
    if (set === undefined) return this.#escaped(letter);
    if (set.isInverted) throw this.#refusal(`has \\${letter} in brackets: say what is meant with ranges`);
    return set;
  }

  #peek(): string | undefined {
    return this.#characters[this.#next];
  }

  #read(): string {
    const character = this.#peek();
    if (character === undefined) throw this.#refusal('ends within a group, brackets or an escape');
    this.#next += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#next += 1;
    return true;
  }

  #refusal(rule: string): FilterProblem {
    return new FilterProblem(this.#place, `the pattern ${quoted(this.#source)} ${rule}`);
  }
}

function single(character: string): PatternNode {
  return { kind: 'set', set: CharacterSet.of(character) };
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
