import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { fieldViolationsOf, messageOf, StatusError } from '@quartermaster/kernel';
import { isMap, isNode, isScalar, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { isJsonObject } from '../../text/json-path.ts';
import type { Kind, KindPlural } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';

/** One object that a file describes. */
export interface FileDocument {
  readonly kind: KindPlural;
  /** The API that its `@type` names; undefined: the one that the caller uses. */
  readonly api: 'public' | 'private' | undefined;
  /** Without the words that only name the kind. */
  readonly json: JsonObject;
  /** `hosts.yaml:12`: where the field is, or the nearest thing above it that there is. */
  place(field: string): string;
}

/** The objects of a YAML or JSON text. `source` is its name, for complaints, which name every place that is wrong. */
export function parseDocuments(text: string, source: string): readonly FileDocument[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  // Nothing at all comes as a list with no documents in it.
  const parsed = 'empty' in documents ? [] : documents;
  const problems = parsed.flatMap(({ errors }) =>
    errors.map(({ pos, message }) => `${source}:${lines.linePos(pos[0]).line}: ${firstLine(message)}`),
  );
  if (problems.length > 0) throw new StatusError('invalid_argument', problems.join('\n'));
  return parsed.flatMap((document) => {
    const { contents } = document;
    if (contents === null) return [];
    let value: JsonValue;
    try {
      value = document.toJS({ maxAliasCount: 100 }) as JsonValue;
    } catch (thrown) {
      throw new StatusError('invalid_argument', `${source}: ${messageOf(thrown)}`);
    }
    return objectsIn(value, contents, { source, lines });
  });
}

/** A refusal with the lines of the file that it is about. */
export function placedFailure(thrown: unknown, document: FileDocument): StatusError {
  const violations = fieldViolationsOf(thrown);
  const failure = StatusError.from(thrown);
  const lines =
    violations.length === 0
      ? [`${document.place('')}: ${failure.message}`]
      : violations.map(({ field, description }) => `${document.place(field)}: ${field}: ${description}`);
  return new StatusError(failure.code, lines.join('\n'), { cause: violations.length === 0 ? undefined : thrown });
}

interface Place {
  readonly source: string;
  readonly lines: LineCounter;
}

function objectsIn(value: JsonValue, node: ParsedNode, place: Place): readonly FileDocument[] {
  if (value === null) return [];
  const items = Array.isArray(value) ? value : isJsonObject(value) && Array.isArray(value['items']) ? value['items'] : undefined;
  if (items === undefined) return [documentOf(value, node, place)];
  const list = isSeq(node) ? node : isMap(node) ? node.get('items', true) : undefined;
  return items.flatMap((item, index) => {
    const inner = isSeq(list) ? list.items[index] : undefined;
    return objectsIn(item, isNode(inner) ? inner : node, place);
  });
}

function documentOf(value: JsonValue, node: ParsedNode, { source, lines }: Place): FileDocument {
  const place = (field: string): string => `${source}:${lines.linePos(offsetOf(node, fieldSegments(field.replace(/^object\./, '')))).line}`;
  if (!isJsonObject(value)) throw new StatusError('invalid_argument', `${place('')}: a document must be an object with a kind`);
  const { '@type': type, kind, ...json } = value;
  if (typeof type === 'string') {
    const [, api, message] = /(?:^|\/)(private|fulfillment)\.v1\.(\w+)$/.exec(type) ?? [];
    const known = message === undefined ? undefined : kindOf(message);
    if (known === undefined) throw new StatusError('invalid_argument', `${place('@type')}: unknown kind "${type}": ${kindsHint}`);
    return { kind: known.plural, api: api === 'private' ? 'private' : 'public', json, place };
  }
  const known = typeof kind === 'string' ? kindOf(kind) : undefined;
  if (known === undefined) {
    const what = kind === undefined ? 'a document requires a kind' : `unknown kind ${JSON.stringify(kind)}`;
    throw new StatusError('invalid_argument', `${place('kind')}: ${what}: ${kindsHint}`);
  }
  return { kind: known.plural, api: undefined, json, place };
}

const kindsHint = `"kind" is one of ${kinds.map(({ message }) => message).join(', ')}`;

/** By the name of its message, or as it is typed in commands. */
function kindOf(text: string): Kind | undefined {
  return kinds.find(({ message, plural, aliases }) => message === text || plural === text || aliases.includes(text.toLowerCase()));
}

/** The segments of a path as errors have it: `spec.node_sets['a.b'].size`, ``metadata.labels.`a.b` ``, `nics[0].mac`. */
export function fieldSegments(path: string): readonly string[] {
  const pattern = /`((?:[^`]|``)*)`|\["((?:[^"\\]|\\.)*)"\]|\['([^']*)'\]|\[(\d+)\]|([^.[\]`]+)/g;
  return [...path.matchAll(pattern)].map(([, backquoted, double, single, index, bare]) => {
    if (backquoted !== undefined) return backquoted.replaceAll('``', '`');
    return double ?? single ?? index ?? bare ?? '';
  });
}

/** Where the field stands in the text, or the last thing on the way to it that does. */
function offsetOf(node: ParsedNode, segments: readonly string[]): number {
  const [segment, ...rest] = segments;
  if (segment === undefined) return node.range[0];
  if (isSeq(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? node.range[0] : offsetOf(item, rest);
  }
  if (!isMap(node)) return node.range[0];
  const pair = node.items.find(({ key }) => isScalar(key) && (key.value === segment || key.value === camelCase(segment)));
  if (pair === undefined) return node.range[0];
  return rest.length === 0 || pair.value === null ? pair.key.range[0] : offsetOf(pair.value, rest);
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const firstLine = (text: string): string => text.split('\n')[0] ?? text;
