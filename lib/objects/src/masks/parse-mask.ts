import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { nearest } from '@quartermaster/kernel';
import { maskError, shown } from './mask-error.ts';
import { type MaskPath, type MaskStep, maskPath } from './mask-path.ts';
import { type PathSegment, splitPath } from './split-path.ts';

/** Where a path stands: what its next segment may be. */
type Place =
  | { readonly kind: 'message'; readonly message: DescMessage }
  | { readonly kind: 'map'; readonly field: DescField & { fieldKind: 'map' } }
  | { readonly kind: 'list'; readonly field: DescField & { fieldKind: 'list' } }
  | { readonly kind: 'value'; readonly what: string };

/**
 * The paths of a field mask, checked against the type of the object. Throws invalid_argument that names the path, the
 * reason and the nearest field. Paths use the names of the contract; a segment after a map is a key, one after a list an index.
 */
export function parseMask(schema: DescMessage, paths: readonly string[]): MaskPath[] {
  const parsed = new Map<string, MaskPath>(); // canonical text -> path
  for (const text of paths) {
    const path = parsePath(schema, text);
    parsed.set(path.text, path);
  }
  return [...parsed.values()];
}

function parsePath(schema: DescMessage, text: string): MaskPath {
  const segments = splitPath(text);
  if (segments.length === 0) throw maskError(text, 'a path names at least one field; to replace the whole object send no mask');
  let place: Place = { kind: 'message', message: schema };
  let steps: readonly MaskStep[] = [];
  for (const segment of segments) {
    const next: { readonly step: MaskStep; readonly place: Place } = take(place, segment, text);
    steps = [...steps, next.step];
    place = next.place;
  }
  return maskPath(steps);
}

function take(place: Place, segment: PathSegment, path: string): { readonly step: MaskStep; readonly place: Place } {
  switch (place.kind) {
    case 'message': {
      const field = segment.isQuoted ? undefined : place.message.fields.find(({ name }) => name === segment.text);
      if (field === undefined) throw unknownField(place.message, segment, path);
      return { step: { kind: 'field', field }, place: below(field) };
    }
    case 'map':
      return { step: { kind: 'key', key: keyOf(place.field, segment, path) }, place: elementPlace(place.field.message, place.field.name) };
    case 'list':
      return {
        step: { kind: 'index', index: indexOf(place.field, segment, path) },
        place: elementPlace(place.field.message, place.field.name),
      };
    case 'value':
      throw maskError(
        path,
        `${place.what} has no parts, so "${shown(segment.text)}" leads nowhere; a key that holds a dot is written in backquotes, as in labels.\`a.b/c\``,
      );
  }
}

function unknownField(message: DescMessage, segment: PathSegment, path: string): Error {
  if (segment.text === '*')
    return maskError(path, 'wildcards are not supported; name each field, or send no mask to replace the whole object');
  const names = message.fields.map(({ name }) => name);
  const guess = nearest(segment.text, names);
  const hint = guess === undefined ? `; it has ${names.join(', ')}` : `; did you mean "${guess}"?`;
  return maskError(path, `${message.name} has no field "${shown(segment.text)}"${hint}`);
}

function below(field: DescField): Place {
  switch (field.fieldKind) {
    case 'map':
      return { kind: 'map', field };
    case 'list':
      return { kind: 'list', field };
    case 'message':
      return elementPlace(field.message, field.name);
    case 'scalar':
    case 'enum':
      return { kind: 'value', what: `field "${field.name}"` };
  }
}

/** Messages of google.protobuf (Any, Timestamp) are values: half of one has no meaning. */
function elementPlace(message: DescMessage | undefined, name: string): Place {
  if (message === undefined) return { kind: 'value', what: `an entry of "${name}"` };
  if (message.typeName.startsWith('google.protobuf.')) return { kind: 'value', what: `${message.name}, which is set as a whole,` };
  return { kind: 'message', message };
}

function keyOf(field: DescField & { fieldKind: 'map' }, segment: PathSegment, path: string): string | number | bigint | boolean {
  const { text } = segment;
  if (text === '*' && !segment.isQuoted)
    throw maskError(path, `wildcards are not supported; name the key of "${field.name}", or "${field.name}" itself`);
  switch (field.mapKey) {
    case ScalarType.STRING:
      // Maps of messages are plain objects, which cannot hold this key.
      if (text === '__proto__') throw maskError(path, '"__proto__" cannot be a key; choose another one');
      return text;
    case ScalarType.BOOL:
      if (text === 'true' || text === 'false') return text === 'true';
      throw maskError(path, `a key of "${field.name}" is true or false, not "${shown(text)}"`);
    default:
      if (!/^-?\d{1,19}$/.test(text)) throw maskError(path, `a key of "${field.name}" is a whole number, not "${shown(text)}"`);
      return isWide(field.mapKey) ? BigInt(text) : Number(text);
  }
}

function isWide(type: ScalarType): boolean {
  return [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64].includes(type);
}

function indexOf(field: DescField & { fieldKind: 'list' }, segment: PathSegment, path: string): number {
  if (segment.isQuoted || !/^\d{1,9}$/.test(segment.text)) {
    const why = segment.text === '*' ? 'wildcards are not supported' : `"${shown(segment.text)}" is not an index`;
    throw maskError(path, `${why}; after the list "${field.name}" comes a number from 0, or nothing to set the whole list`);
  }
  return Number(segment.text);
}
