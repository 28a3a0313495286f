import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';
import { type Fault, FaultList, keysOf } from './fault-list.ts';
import { type Data, dataOf, type YamlData } from './yaml-data.ts';

export const maxSdlBytes = 256 * 1024;
const maxLexemes = 60_000;
/** Of the parser: up to two for each level of nesting. */
const maxStack = 100;

/** Both from 1; 0 where none can be told. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlText {
  /** Undefined where there are faults. */
  readonly data?: Data | undefined;
  readonly faults: readonly Fault[];
  /** Where a fault is: at the key or the list item that its path names, or at the nearest one around it that is there. */
  placeOf(fault: Fault): Place;
}

/** Reads one YAML 1.2 document. Never throws. */
export function readYaml(text: string): YamlText {
  const faults = new FaultList();
  const lines = new LineCounter();
  const document = parse(text, lines, faults);
  let yaml: YamlData | undefined;
  if (document !== undefined && faults.isEmpty) yaml = dataOf(document, faults);
  return {
    data: yaml?.data,
    faults: faults.all,
    placeOf: (fault) => placeAt(lines, fault.offset ?? (document && offsetOf(document, fault.path, yaml?.targets))),
  };
}

function parse(text: string, lines: LineCounter, faults: FaultList): Document.Parsed | undefined {
  const tokens = tokensOf(text, lines, faults);
  if (tokens === undefined) return undefined;
  // Keys are compared by `dataOf`, which does it in one pass.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false });
  const [document, ...others] = composer.compose(tokens, true, text.length);
  for (const { message, pos } of document?.errors ?? []) faults.add('', 'YamlSyntax', `this is not YAML: ${withoutText(message)}`, pos[0]);
  if (others.length > 0) faults.add('', 'SeveralDocuments', 'the text holds several YAML documents: keep one', others[0]?.range[0]);
  if (document?.directives.yaml.explicit === true) {
    faults.add('', 'DirectiveRefused', 'a %YAML directive is not allowed: remove it; SDL is YAML 1.2');
  }
  if (document?.contents === null && faults.isEmpty) faults.add('', 'Empty', 'the SDL is empty: begin with version: "2.0"');
  return document;
}

/** The library repeats what it cannot read, behind a colon or as a tag. That may be a password. */
const withoutText = (message: string): string => message.replace(/(?<=\w): .*$/s, '').replaceAll(/!\S+/g, '!…');

/** Everything that follows takes time by their number, and some of it by the square, and stack by their depth. */
function tokensOf(text: string, lines: LineCounter, faults: FaultList): CST.Token[] | undefined {
  const control = /[^\t\n\r\x20-\x7e\x85\xa0-\u{10ffff}]/u.exec(text);
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    lexemes += 1;
    if (parser.stack.length > maxStack)
      faults.add('', 'TooDeep', 'values are nested too deep; no SDL needs more than 32 levels', parser.offset);
    else if (lexemes > maxLexemes)
      faults.add('', 'TooLarge', `the SDL has more than ${maxLexemes} words and signs: make it smaller`, parser.offset);
    else if (control !== null && parser.offset > control.index) {
      faults.add(
        '',
        'BadText',
        'the text holds a control character: remove it, or write it as an escape between double quotes',
        control.index,
      );
    }
    if (!faults.isEmpty) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function placeAt(lines: LineCounter, offset: number | undefined): Place {
  if (offset === undefined) return { line: 0, column: 0 };
  const { line, col } = lines.linePos(offset);
  return { line, column: line === 0 ? 0 : col };
}

function offsetOf(document: Document.Parsed, path: string, targets: YamlData['targets'] = new Map()): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const key of keysOf(path)) {
    const inside: unknown = isAlias(node) ? targets.get(node) : node;
    const found = isMap(inside) ? pairOf(inside, key) : isSeq(inside) ? itemOf(inside.items[Number(key)]) : undefined;
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.value;
  }
  return offset;
}

interface Found {
  readonly offset: number | undefined;
  readonly value: unknown;
}

/** The last of that name: the one that is there twice. */
function pairOf(map: YAMLMap, name: string): Found | undefined {
  const pair = map.items.findLast(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && { offset: (pair.key as Node).range?.[0], value: pair.value };
}

function itemOf(item: unknown): Found | undefined {
  return item === undefined ? undefined : { offset: (item as Node | null)?.range?.[0], value: item };
}
