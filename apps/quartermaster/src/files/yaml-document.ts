import type { JsonValue } from '@bufbuild/protobuf';
import { fieldViolationsOf, messageOf, StatusError } from '@quartermaster/kernel';
import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';

/** A text and its lines, for complaints about it. */
export interface TextSource {
  /** As a person knows it: the path of a file. */
  readonly source: string;
  readonly lines: LineCounter;
}

/** One document of a YAML or JSON text. */
export interface YamlDocument {
  readonly value: JsonValue;
  readonly node: ParsedNode;
  readonly from: TextSource;
}

/** The documents of a YAML or JSON text that have something in them. Complaints name every place that is wrong. */
export function parseYaml(text: string, source: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  // Nothing at all comes as a list with no documents in it.
  const parsed = 'empty' in documents ? [] : documents;
  const problems = parsed.flatMap(({ errors }) =>
    errors.map(({ pos, message }) => `${source}:${lines.linePos(pos[0]).line}: ${firstLine(message)}`),
  );
  if (problems.length > 0) throw new StatusError('invalid_argument', problems.join('\n'));
  return parsed.flatMap((document) => {
    const { contents: node } = document;
    if (node === null) return [];
    try {
      return [{ value: document.toJS({ maxAliasCount: 100 }) as JsonValue, node, from: { source, lines } }];
    } catch (thrown) {
      throw new StatusError('invalid_argument', `${source}: ${messageOf(thrown)}`);
    }
  });
}

/** `hosts.yaml:12`: where the field is, or the nearest thing above it that there is. */
export const placeOf = (node: ParsedNode, field: string, { source, lines }: TextSource): string =>
  `${source}:${lines.linePos(offsetOf(node, fieldSegments(field))).line}`;

/** A refusal with the lines of the file that it is about. `place` is as `placeOf` of it. */
export function placedFailure(thrown: unknown, document: { place(field: string): string }): StatusError {
  const violations = fieldViolationsOf(thrown);
  const failure = StatusError.from(thrown);
  const lines =
    violations.length === 0
      ? [`${document.place('')}: ${failure.message}`]
      : violations.map(({ field, description }) => `${document.place(field)}: ${field === '' ? '' : `${field}: `}${description}`);
  return new StatusError(failure.code, lines.join('\n'), { cause: violations.length === 0 ? undefined : thrown });
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
