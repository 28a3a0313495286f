import { type Document, isAlias, isMap, isScalar, LineCounter, type Node, type Pair, parseDocument, type YAMLError } from 'yaml';
import type { ConfigDefinition } from './define-config.ts';
import type { ConfigProblem, Origin } from './origin.ts';
import { type KnownKeys, type RawSetting, type SourceResult, unknownKey } from './raw-setting.ts';

const badAlias = 'refers to an anchor that does not exist: put the value in quotes if it is no reference';

// What the parser says itself can quote the text of a value, and the value can be a secret.
const syntaxRules: Partial<Record<YAMLError['code'], string>> = {
  BAD_INDENT: 'is indented differently from its neighbours: align it',
  BAD_SCALAR_START: 'begins with a character that YAML reserves: put the value in quotes',
  BAD_ALIAS: badAlias,
  BAD_DQ_ESCAPE: 'has an escape that YAML does not know: use single quotes or double the backslash',
  DUPLICATE_KEY: 'has the same key twice: remove one',
  MISSING_CHAR: 'is missing a quote, a bracket or a colon',
  MULTIPLE_DOCS: 'has more than one document: remove everything after ---',
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  TAG_RESOLVE_FAILED: 'has a tag that is not known: put the value in quotes',
  UNEXPECTED_TOKEN: 'does not belong here: check the quotes and the indentation of the lines above',
};

/** Reads a configuration file. Everything wrong with its form and its keys is told at once; values are left to the schema. */
export function readYaml(text: string, file: string, known: KnownKeys): SourceResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const originAt = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0) {
    return {
      settings: [],
      problems: document.errors.map(({ code, pos }) => ({
        origin: originAt(pos[0]),
        message: syntaxRules[code] ?? `is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`,
      })),
    };
  }
  const reader = new YamlReader(document, originAt, known);
  reader.read(document.contents, []);
  return { settings: reader.settings, problems: reader.problems };
}

class YamlReader {
  readonly settings: RawSetting[] = [];
  readonly problems: ConfigProblem[] = [];
  readonly #document: Document;
  readonly #originAt: (offset: number) => Origin;
  readonly #known: KnownKeys;

  constructor(document: Document, originAt: (offset: number) => Origin, known: KnownKeys) {
    this.#document = document;
    this.#originAt = originAt;
    this.#known = known;
  }

  read(node: Node | null, path: readonly string[]): void {
    const contents = isAlias(node) ? node.resolve(this.#document) : node;
    if (contents === null || (isScalar(contents) && contents.value === null)) return;
    const name = path.join('.');
    if (!isMap(contents)) {
      const message = contents === undefined ? badAlias : 'must be a mapping of keys to values, such as key: value';
      this.problems.push({ ...(name === '' ? {} : { key: name }), origin: this.#originOf(node), message });
      return;
    }
    for (const pair of contents.items as Pair<Node, Node | null>[]) this.#readPair(pair, path);
  }

  #readPair({ key, value }: Pair<Node, Node | null>, path: readonly string[]): void {
    const segment = isScalar(key) ? String(key.value) : '';
    const inside = [...path, segment];
    const name = inside.join('.');
    const { definition, alsoKnown } = this.#known;
    if (definition.groups.has(name)) {
      this.read(value, inside);
    } else if (definition.keys.some((each) => each.name === name)) {
      this.#readValue(name, inside, key, value);
    } else if (alsoKnown?.groups.has(name) !== true && alsoKnown?.keys.some((each) => each.name === name) !== true) {
      const message = unknownKey(name, allNames(definition, alsoKnown), 'key');
      this.problems.push({ key: name, origin: this.#originOf(key), message });
    }
  }

  #readValue(name: string, path: readonly string[], key: Node, value: Node | null): void {
    if (value === null || (isScalar(value) && value.value === null)) {
      this.problems.push({ key: name, origin: this.#originOf(key), message: 'has no value: give it one or remove the key' });
      return;
    }
    const originOf = (inside: readonly PropertyKey[]): Origin | undefined => {
      const node = this.#document.getIn([...path, ...inside], true) as Node | undefined;
      return node === undefined ? undefined : this.#originOf(node);
    };
    try {
      this.settings.push({ name, value: value.toJS(this.#document), origin: this.#originOf(value), originOf });
    } catch {
      // The parser's own message names the anchor, which may be a secret that begins with an asterisk.
      this.problems.push({ key: name, origin: this.#originOf(value), message: badAlias });
    }
  }

  #originOf(node: Node | null): Origin {
    return this.#originAt(node?.range?.[0] ?? 0);
  }
}

function allNames(definition: ConfigDefinition, alsoKnown: ConfigDefinition | undefined): string[] {
  return [definition, ...(alsoKnown === undefined ? [] : [alsoKnown])].flatMap((each) => [
    ...each.keys.map((key) => key.name),
    ...each.groups,
  ]);
}
