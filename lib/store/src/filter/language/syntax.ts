/** Reads CEL text into a small tree. The only file that knows the parser and its nodes. */
import { type ASTNode, ParseError, parse } from '@marcbachmann/cel-js';
import { maxInt, minInt } from './bounds.ts';
import { FilterProblem, quoted } from './filter-problem.ts';
import { unstorable } from './text.ts';

export type Literal =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int' | 'uint'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'null'; readonly value: null };

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/** `at` is the index of the character that a message points to. */
export type Syntax = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'select'; readonly base: Syntax; readonly name: string }
  | { readonly kind: 'index'; readonly base: Syntax; readonly key: Syntax }
  | { readonly kind: 'call'; readonly name: string; readonly receiver: Syntax | undefined; readonly args: readonly Syntax[] }
  | { readonly kind: 'list'; readonly items: readonly Syntax[] }
  | { readonly kind: 'conditional'; readonly condition: Syntax; readonly chosen: Syntax; readonly otherwise: Syntax }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'not' | 'negate'; readonly of: Syntax }
  | {
      readonly kind: 'binary';
      readonly operator: CompareOperator | ArithmeticOperator | 'in';
      readonly left: Syntax;
      readonly right: Syntax;
    }
);

const maxTextLength = 65_536;
const maxNodes = 5000;
const maxNesting = 50;

/** Throws a FilterProblem for what is no CEL, too large, or what PostgreSQL could not hold. */
export function parseSyntax(text: string): Syntax {
  if (text.length > maxTextLength)
    throw new FilterProblem(undefined, `has ${text.length} characters, at most ${maxTextLength} are allowed`);
  const problem = unstorable(text);
  if (problem !== undefined) throw new FilterProblem(undefined, problem);
  return new SyntaxReader(text).read(parseText(text), 0);
}

function parseText(text: string): ASTNode {
  try {
    return parse(text).ast;
  } catch (thrown) {
    if (thrown instanceof ParseError) throw new FilterProblem(thrown.range?.start, parseProblem(thrown.summary));
    // The parser recurses without a bound for some operators.
    if (thrown instanceof RangeError) throw tooDeep(undefined);
    throw thrown;
  }
}

/** The most common mistake has a name of its own. */
const parseProblem = (summary: string): string =>
  summary === 'Unexpected character: =' ? 'use == to compare' : `is not valid CEL: ${summary}`;

function tooDeep(at: number | undefined): FilterProblem {
  return new FilterProblem(at, `is nested deeper than ${maxNesting} levels: split it with && or ||`);
}

class SyntaxReader {
  readonly #text: string;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(node: ASTNode, depth: number): Syntax {
    this.#count(node, depth);
    const deeper = depth + 1;
    const at = node.pos;
    switch (node.op) {
      case 'value':
        return { at, kind: 'literal', literal: this.#literal(node, node.args) };
      case 'id':
        return { at, kind: 'name', name: node.args };
      case '.':
        return { at, kind: 'select', base: this.read(node.args[0], deeper), name: node.args[1] };
      case '[]':
        return { at, kind: 'index', base: this.read(node.args[0], deeper), key: this.read(node.args[1], deeper) };
      case 'call':
        return { at, kind: 'call', name: node.args[0], receiver: undefined, args: this.#all(node.args[1], deeper) };
      case 'rcall':
        return { at, kind: 'call', name: node.args[0], receiver: this.read(node.args[1], deeper), args: this.#all(node.args[2], deeper) };
      case 'list':
        return { at, kind: 'list', items: this.#all(node.args, deeper) };
      case '?:':
        return this.#conditional(node.args, at, deeper);
      case '&&':
      case '||':
        return { at, kind: node.op === '&&' ? 'and' : 'or', parts: this.#all(this.#chain(node, node.op), deeper) };
      case '!_':
        return { at, kind: 'not', of: this.read(node.args, deeper) };
      case '-_':
        return this.#negation(node.args, at, deeper);
      case 'map':
      case '.?':
      case '[?]':
        throw new FilterProblem(at, 'makes a map or an optional value, which filters do not support');
      default:
        return { at, kind: 'binary', operator: node.op, left: this.read(node.args[0], deeper), right: this.read(node.args[1], deeper) };
    }
  }

  #count(node: ASTNode, depth: number): void {
    if (depth > maxNesting) throw tooDeep(node.pos);
    this.#nodes += 1;
    if (this.#nodes > maxNodes) throw new FilterProblem(node.pos, `has more than ${maxNodes} parts: simplify the filter`);
  }

  #all(nodes: readonly ASTNode[], depth: number): readonly Syntax[] {
    return nodes.map((node) => this.read(node, depth));
  }

  /** The parts of `a && b && c`, which the parser nests to the left: a long chain is not a deep one. */
  #chain(node: ASTNode, operator: '&&' | '||'): readonly ASTNode[] {
    const parts: ASTNode[] = [];
    let rest = node;
    while (rest.op === operator) {
      parts.push(rest.args[1]);
      rest = rest.args[0];
    }
    parts.push(rest);
    return parts.toReversed();
  }

  #conditional(args: readonly [ASTNode, ASTNode, ASTNode], at: number, depth: number): Syntax {
    const [condition, chosen, otherwise] = args;
    return {
      at,
      kind: 'conditional',
      condition: this.read(condition, depth),
      chosen: this.read(chosen, depth),
      otherwise: this.read(otherwise, depth),
    };
  }

  #negation(of: ASTNode, at: number, depth: number): Syntax {
    if (of.op === 'value' && typeof of.args === 'bigint') {
      this.#count(of, depth);
      return { at, kind: 'literal', literal: integer(-of.args, at) };
    }
    if (of.op === 'value' && typeof of.args === 'number') {
      this.#count(of, depth);
      return { at, kind: 'literal', literal: { kind: 'double', value: 0 - of.args } };
    }
    return { at, kind: 'negate', of: this.read(of, depth) };
  }

  #literal(node: ASTNode, value: (ASTNode & { readonly op: 'value' })['args']): Literal {
    if (typeof value === 'boolean') return { kind: 'bool', value };
    if (typeof value === 'bigint') return integer(value, node.pos);
    if (typeof value === 'number') return { kind: 'double', value };
    if (typeof value === 'string') return this.#string(value, node.pos);
    if (value === null) return { kind: 'null', value };
    if (!(value instanceof Uint8Array)) return { kind: 'uint', value: value.value };
    // The parser takes the lower half of each UTF-16 unit, which is right for ASCII only.
    if (!/^\p{ASCII}*$/u.test(this.#text.slice(node.start, node.end))) {
      throw new FilterProblem(node.pos, 'has a bytes literal with a character beyond ASCII: write its bytes as \\x escapes');
    }
    return { kind: 'bytes', value };
  }

  #string(value: string, at: number): Literal {
    const problem = unstorable(value);
    if (problem !== undefined) throw new FilterProblem(at, `the string ${quoted(value)} ${problem}`);
    return { kind: 'string', value };
  }
}

function integer(value: bigint, at: number): Literal {
  if (value < minInt || value > maxInt) throw new FilterProblem(at, `the integer ${quoted(String(value))} does not fit into 64 bits`);
  return { kind: 'int', value };
}
