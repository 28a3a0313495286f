import { isArray, isObject, type Json, type JsonObject, objectOf } from '../../schema/json.ts';
import { deepFreeze } from '../object/api-object.ts';

type Part = JsonObject | readonly Json[];

/** How many parts are remembered that only one object has so far. */
const maxCandidates = 10_000;

/**
 * Parts that many objects have in common: the containers of pods of one template, their labels, the record of their owners. Each is
 * kept once, with its text, so that thousands of similar objects cost little memory and little time to write out. A part is a
 * list or an object directly inside of a section such as `metadata`, `spec` or `status`.
 */
export class SharedParts {
  readonly #bytes = new WeakMap<Part, Buffer>(); // shared part -> its JSON
  #shared = new Map<string, Part>(); // JSON -> shared part
  #candidates = new Map<string, Part>(); // JSON -> part that one object has

  /** The same object, made of shared parts where another object has had an equal one before. */
  share(object: JsonObject): JsonObject {
    return mapParts(object, (part) => this.#shareAfterFirst(part));
  }

  /** The same object, whose parts all count as shared from now on: more like it follow. */
  shareAll(object: JsonObject): JsonObject {
    return mapParts(object, (part) => this.#shared.get(JSON.stringify(part)) ?? this.#keep(JSON.stringify(part), part));
  }

  /** The JSON of a shared part; undefined of any other. */
  bytesOf(part: Part): Buffer | undefined {
    return this.#bytes.get(part);
  }

  #shareAfterFirst(part: Part): Part {
    if (this.#bytes.has(part)) return part;
    const text = JSON.stringify(part);
    const shared = this.#shared.get(text);
    if (shared !== undefined) return shared;
    const candidate = this.#candidates.get(text);
    if (candidate !== undefined) return this.#keep(text, candidate);
    if (this.#candidates.size >= maxCandidates) this.#candidates = new Map();
    this.#candidates.set(text, part);
    return part;
  }

  /** What nobody asks for any more is forgotten with the rest; objects keep what they are made of. */
  #keep(text: string, part: Part): Part {
    if (this.#shared.size >= maxCandidates) this.#shared = new Map();
    const frozen = deepFreeze(part);
    this.#shared.set(text, frozen);
    this.#bytes.set(frozen, Buffer.from(text));
    return frozen;
  }
}

const isPart = (value: Json): value is Part => isArray(value) || isObject(value);

function mapParts(object: JsonObject, change: (part: Part) => Part): JsonObject {
  const sections = Object.entries(object).map(([name, section]): [string, Json] => {
    if (!isObject(section)) return [name, section];
    return [name, objectOf(Object.entries(section).map(([field, value]) => [field, isPart(value) ? change(value) : value]))];
  });
  return objectOf(sections);
}
