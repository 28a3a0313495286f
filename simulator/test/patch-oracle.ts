/**
 * Sends a write to a real API server and works out the same write with the functions of `src/patch` and `src/schema`, from the
 * object that the server had before.
 */
import { failureOf, type KubeClient } from '@quartermaster/kube';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  type ManagedWrite,
  ownableFields,
  recordUpdate,
  serverSideApply,
} from '../src/patch/index.ts';
import {
  applyDefaults,
  badRequest,
  decodeBuiltIn,
  type Json,
  type JsonObject,
  prune,
  refusalOf,
  type SchemaNode,
  validateCustomResource,
  withZeroFields,
} from '../src/schema/index.ts';
import { isObject } from '../src/schema/json.ts';

export interface OracleKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly schema: SchemaNode;
  readonly isCustom: boolean;
  readonly hasStatus: boolean;
}

export type Step = { readonly manager?: string; readonly subresource?: string } & (
  | { readonly verb: 'create'; readonly body: JsonObject }
  | { readonly verb: 'replace'; readonly change: (stored: JsonObject) => JsonObject }
  | { readonly verb: 'json' | 'merge' | 'strategic'; readonly patch: Json }
  | { readonly verb: 'apply'; readonly body: JsonObject; readonly force?: boolean }
);

/** An object without what differs from run to run, or why there is none. */
export type Answer =
  | { readonly object: JsonObject; readonly owners: readonly Json[] }
  | { readonly refused: string; readonly message: string; readonly causes: readonly Json[] };

const contentTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export class PatchOracle {
  readonly #client: KubeClient;
  readonly #path: string;
  readonly #kind: OracleKind;
  readonly #name: string;
  readonly #namespace: string;

  constructor(client: KubeClient, kind: OracleKind, namespace: string, name: string) {
    const base = kind.apiVersion.includes('/') ? 'apis' : 'api';
    this.#client = client;
    this.#kind = kind;
    this.#name = name;
    this.#namespace = namespace;
    this.#path = `/${base}/${kind.apiVersion}/namespaces/${namespace}/${kind.plural}`;
  }

  /** What the real server and our functions make of one step. */
  async compare(step: Step): Promise<{ readonly real: Answer; readonly ours: Answer }> {
    const stored = await this.#stored();
    const { real, answered } = await this.#send(step, stored);
    return { real, ours: answerOf(() => this.#predict(step, stored, answered), this.#kind) };
  }

  async #stored(): Promise<JsonObject | undefined> {
    try {
      return await this.#client.transport.json<JsonObject>({ what: 'get', method: 'GET', path: `${this.#path}/${this.#name}` });
    } catch (error) {
      if (failureOf(error)?.kind === 'not-found') return undefined;
      throw error;
    }
  }

  async #send(step: Step, stored: JsonObject | undefined): Promise<{ real: Answer; answered?: JsonObject }> {
    const object = `${this.#path}/${this.#name}${step.subresource === undefined ? '' : `/${step.subresource}`}`;
    const query = { fieldManager: step.manager ?? 'tester', ...('force' in step ? { force: step.force } : {}) };
    const json = (value: unknown) => ({ body: JSON.stringify(value), query });
    const request = () => {
      switch (step.verb) {
        case 'create':
          return { method: 'POST', path: this.#path, ...json(this.#complete(step.body)) } as const;
        case 'replace':
          return { method: 'PUT', path: object, ...json(step.change(stored ?? {})) } as const;
        case 'apply':
          return { method: 'PATCH', path: object, contentType: contentTypes.apply, ...json(this.#complete(step.body)) } as const;
        default:
          return { method: 'PATCH', path: object, contentType: contentTypes[step.verb], ...json(step.patch) } as const;
      }
    };
    try {
      const answered = await this.#client.transport.json<JsonObject>({ what: 'oracle', contentType: 'application/json', ...request() });
      return { real: answerOf(() => answered, this.#kind), answered };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      const message = (error instanceof Error ? error.message : '').replace(/^oracle: /, '');
      const causes = 'causes' in failure ? (failure.causes ?? []) : [];
      return {
        real: {
          refused: failure.kind,
          message,
          causes: causes.map(({ field, reason, message: why }) => ({ field, reason, message: why })),
        },
      };
    }
  }

  #predict(step: Step, stored: JsonObject | undefined, answered: JsonObject | undefined): JsonObject {
    const { schema, apiVersion, isCustom } = this.#kind;
    const ownable = ownableFields(this.#kind, step.subresource);
    const write: ManagedWrite = {
      live: stored,
      schema,
      manager: step.manager ?? 'tester',
      apiVersion,
      now: latestTime(answered),
      subresource: step.subresource,
      ownable,
    };
    if (step.verb === 'apply') {
      const outcome = serverSideApply(write, this.#complete(step.body), { force: step.force ?? false });
      if ('conflicts' in outcome)
        throw new Conflict(
          outcome.message,
          outcome.conflicts.map(({ field, message }) => ({ field, message })),
        );
      return isCustom ? this.#asCustom(outcome.object, stored, { keepNulls: true }) : outcome.object;
    }
    const changed = this.#changed(step, stored);
    const written = isCustom ? this.#asCustom(changed, stored) : changed;
    const visible = this.#visible(step, written, stored);
    // Defaults of built-in kinds are the server's business: the owners are worked out from what it answered.
    const after = isCustom || answered === undefined ? visible : { ...answered, metadata: metadataWith(answered, visible) };
    const recorded = recordUpdate(write, after);
    return isCustom ? recorded : { ...visible, metadata: recorded['metadata'] ?? {} };
  }

  /** A write to the object leaves its status as it was, a write to the status everything else. */
  #visible(step: Step, written: JsonObject, stored: JsonObject | undefined): JsonObject {
    if (step.subresource === 'status') return { ...stored, status: written['status'] ?? null };
    if (!this.#kind.isCustom) return written;
    const { status: _, ...rest } = written;
    return stored?.['status'] === undefined ? rest : { ...rest, status: stored['status'] };
  }

  #changed(step: Exclude<Step, { verb: 'apply' }>, stored: JsonObject = {}): JsonObject {
    switch (step.verb) {
      case 'create':
        return this.#complete(step.body);
      case 'replace':
        return step.change(stored);
      case 'json':
        return applyJsonPatch(stored, step.patch);
      case 'merge':
        return applyMergePatch(stored, step.patch);
      case 'strategic':
        return applyStrategicMergePatch(stored, step.patch, this.#kind.schema);
    }
  }

  #asCustom(
    object: JsonObject,
    stored: JsonObject | undefined,
    options: { readonly keepNulls: boolean } = { keepNulls: false },
  ): JsonObject {
    const { schema } = this.#kind;
    const whole = applyDefaults(schema, prune(schema, object).object, options);
    const causes = validateCustomResource(schema, whole, stored);
    if (causes.length > 0) throw new Invalid(causes.map((cause) => ({ ...cause })));
    return whole;
  }

  #complete(body: JsonObject): JsonObject {
    const { apiVersion, kind } = this.#kind;
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    return { apiVersion, kind, ...body, metadata: { name: this.#name, namespace: this.#namespace, ...metadata } };
  }
}

class Conflict extends Error {
  readonly causes: readonly { readonly field: string; readonly message: string }[];

  constructor(message: string, causes: readonly { readonly field: string; readonly message: string }[]) {
    super(message);
    this.causes = causes;
  }
}

class Invalid extends Error {
  readonly causes: readonly Json[];

  constructor(causes: readonly Json[]) {
    super('');
    this.causes = causes;
  }
}

function answerOf(make: () => JsonObject, kind: OracleKind): Answer {
  try {
    const object = make();
    return { object: comparable(object, kind), owners: ownersOf(object) };
  } catch (error) {
    if (error instanceof Conflict) {
      const causes = error.causes.map((cause) => ({ ...cause, reason: 'FieldManagerConflict' }));
      return { refused: 'conflict', message: error.message, causes };
    }
    if (error instanceof Invalid) return { refused: 'invalid', message: '', causes: error.causes };
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const kinds: Readonly<Record<number, string>> = { 400: 'bad-request', 422: 'invalid', 500: 'server' };
    const causes = (refusal.details?.causes ?? []).map((cause) => ({ ...cause }));
    return { refused: kinds[refusal.code] ?? String(refusal.code), message: refusal.message ?? '', causes };
  }
}

const volatile = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields']);

/** Without what the server adds by itself, and built-in objects in the one way in which the server writes them. */
function comparable(object: JsonObject, { schema, isCustom }: OracleKind): JsonObject {
  const decoded = isCustom ? { object } : decodeBuiltIn(schema, object);
  if ('mismatch' in decoded) throw badRequest(decoded.mismatch);
  const whole = decoded.object;
  const metadata = isObject(whole['metadata']) ? whole['metadata'] : {};
  const plain = { ...whole, metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !volatile.has(key))) };
  return isCustom ? plain : withZeroFields(schema, plain);
}

function ownersOf(object: JsonObject): readonly Json[] {
  const key = ({ manager = '', operation = '', subresource = '' }: JsonObject) => JSON.stringify([manager, operation, subresource]);
  const entries = entriesOf(object).map((entry): JsonObject => ({ ...entry, time: entry['time'] === undefined ? null : 'set' }));
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function entriesOf(object: JsonObject): readonly JsonObject[] {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return Array.isArray(metadata['managedFields']) ? (metadata['managedFields'] as readonly JsonObject[]) : [];
}

/** When the server did it, so that entries have the same age for both. */
function latestTime(answered: JsonObject | undefined): string {
  const times = answered === undefined ? [] : entriesOf(answered).flatMap(({ time }) => (typeof time === 'string' ? [time] : []));
  return times.sort().at(-1) ?? '2030-01-01T00:00:00Z';
}

function metadataWith(answered: JsonObject, written: JsonObject): JsonObject {
  const metadata = isObject(answered['metadata']) ? answered['metadata'] : {};
  const given = isObject(written['metadata']) ? written['metadata']['managedFields'] : undefined;
  const { managedFields: _, ...rest } = metadata;
  return given === undefined ? rest : { ...rest, managedFields: given };
}
