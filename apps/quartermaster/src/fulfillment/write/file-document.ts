import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { isMap, isNode, isSeq, type ParsedNode } from 'yaml';
import { parseYaml, placeOf, type TextSource } from '../../files/yaml-document.ts';
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
  return parseYaml(text, source).flatMap(({ value, node, from }) => objectsIn(value, node, from));
}

function objectsIn(value: JsonValue, node: ParsedNode, from: TextSource): readonly FileDocument[] {
  if (value === null) return [];
  const items = Array.isArray(value) ? value : isJsonObject(value) && Array.isArray(value['items']) ? value['items'] : undefined;
  if (items === undefined) return [documentOf(value, node, from)];
  const list = isSeq(node) ? node : isMap(node) ? node.get('items', true) : undefined;
  return items.flatMap((item, index) => {
    const inner = isSeq(list) ? list.items[index] : undefined;
    return objectsIn(item, isNode(inner) ? inner : node, from);
  });
}

function documentOf(value: JsonValue, node: ParsedNode, from: TextSource): FileDocument {
  const place = (field: string): string => placeOf(node, field.replace(/^object\./, ''), from);
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
