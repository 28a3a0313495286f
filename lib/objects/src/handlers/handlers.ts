/** The five methods that every kind has, in the private form; the public one is in public-handlers.ts. */
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { FieldMask } from '@bufbuild/protobuf/wkt';
import { principalOf } from '@quartermaster/auth';
import { invalidFields } from '@quartermaster/kernel';
import type { CallContext } from '@quartermaster/rpc';
import { fieldValue, type StoredObject } from '@quartermaster/store';
import type { Kind } from '../kinds/index.ts';
import { applyMask, keepStored, type MaskPath, mergeUnmasked, type OutputOnly, outputOnlyViolations, parseMask } from '../masks/index.ts';
import { callOf } from './call.ts';
import type { ObjectWriter, Wish } from './object-writer.ts';
import type { ListRequest, ObjectReader, ShownForm } from './read-objects.ts';

export interface GetRequest {
  readonly id: string;
  /** With its secrets. Kinds without any do not have it. */
  readonly reveal?: boolean | undefined;
}

export interface CreateRequest<M> {
  readonly object?: M | undefined;
  readonly dryRun: boolean;
}

export interface UpdateRequest<M> {
  readonly object?: M | undefined;
  readonly updateMask?: FieldMask | undefined;
  readonly lock: boolean;
  readonly dryRun: boolean;
}

export interface DeleteRequest {
  readonly id: string;
  readonly dryRun: boolean;
  readonly version: bigint;
}

export interface ListAnswer<M> {
  readonly size: number;
  readonly total?: number | undefined;
  readonly items: M[];
  readonly nextCursor: string;
}

export interface ObjectHandlers<M> {
  list(request: ListRequest, context: CallContext): Promise<ListAnswer<M>>;
  get(request: GetRequest, context: CallContext): Promise<{ readonly object: M }>;
  create(request: CreateRequest<M>, context: CallContext): Promise<{ readonly object: M }>;
  update(request: UpdateRequest<M>, context: CallContext): Promise<{ readonly object: M }>;
  delete(request: DeleteRequest, context: CallContext): Promise<Record<string, never>>;
}

export interface PrivateHandlers<M> extends ObjectHandlers<M> {
  signal(request: GetRequest, context: CallContext): Promise<Record<string, never>>;
}

/** Secrets are shown by Get alone, when it is asked to reveal them, and to those who may open them. */
export function privateHandlers<M extends StoredObject>(reader: ObjectReader<M>, writer: ObjectWriter<M>): PrivateHandlers<M> {
  const { kind } = reader;
  const { schema, rules } = kind;
  const hasSecrets = kind.secretPaths.length > 0;
  const hidden = new Set([...kind.secretPaths, ...(kind.unfilterable ?? [])]);
  const form: ShownForm<M> = { schema, hidden: (path) => hidden.has(path.join('.')) };
  const handedOut = (object: M): M => {
    if (kind.withhold === undefined) return object;
    const own = kind.store.copy(object);
    kind.withhold(own);
    return own;
  };
  return {
    list: async (request, context) => {
      const page = await reader.list(principalOf(context.identity), request, form);
      reader.withhold(page.items);
      return listAnswer(page, page.items);
    },
    get: async ({ id, reveal = false }, context) => {
      const principal = principalOf(context.identity);
      const isRevealed = hasSecrets && (reveal || principal.readsSecretsUnasked === true);
      const object = await (isRevealed ? reader.reveal(callOf(context), id) : reader.get(principal, id));
      reader.withhold([object]);
      return { object };
    },
    create: async (request, context) => ({
      object: handedOut(await writer.create(callOf(context, request), required(request.object), rules.outputOnly)),
    }),
    update: async (request, context) => {
      const input = required(request.object);
      const paths = maskOf(request.updateMask, (texts) => parseMask(schema, texts));
      const merge = (stored: M) =>
        paths === undefined ? unmasked(kind, stored, input, rules.outputOnly) : masked(kind, stored, input, paths, rules.outputOnly);
      const call = callOf(context, request);
      return { object: handedOut(await writer.update(call, { id: input.id, version: lockedVersion(request, input), merge })) };
    },
    delete: async (request, context) => {
      await writer.delete(callOf(context, request), request.id, request.version === 0n ? undefined : request.version);
      return {};
    },
    signal: async ({ id }, context) => {
      await writer.signal(callOf(context), id);
      return {};
    },
  };
}

/** What the mask names is set or cleared; the rest stays as stored. */
function masked<M extends StoredObject>(
  { schema, secretPaths: secrets }: Kind<M>,
  stored: M,
  input: M,
  paths: readonly MaskPath[],
  outputOnly: readonly OutputOnly[],
): Wish<M> {
  const sends = (field: string): boolean => paths.some(({ segments }) => meet(segments, field)) && isSent(schema, input, field);
  const applied = applyMask(schema, stored, input, paths);
  const kept = [...secrets, ...outputOnly.map(({ pattern }) => pattern)];
  if (!paths.some(({ segments }) => kept.some((pattern) => meet(segments, pattern)))) return { object: applied, violations: [], sends };
  return {
    object: keepStored(schema, stored, applied, { secrets, outputOnly }),
    violations: outputOnlyViolations(schema, stored, applied, paths, outputOnly),
    sends,
  };
}

/** Whether one place is the other, or lies above or below it. */
function meet(segments: readonly string[], pattern: string): boolean {
  const parts = pattern.split('.').slice(0, segments.length);
  return parts.every((part, index) => part === '*' || part === segments[index]);
}

/** What the caller can see is replaced. Fields that its release may not know and secrets that it did not send stay. */
export function unmasked<M extends StoredObject>(
  { schema, rules, secretPaths }: Kind<M>,
  stored: M,
  input: M,
  outputOnly: readonly OutputOnly[],
): Wish<M> {
  const object = mergeUnmasked(schema, stored, input, {
    unknownToCaller: rules.lateFields,
    secrets: secretPaths,
    outputOnly,
  });
  return { object, violations: [], sends: (field) => isSent(schema, input, field) };
}

const isSent = <M extends StoredObject>(schema: GenMessage<M>, input: M, field: string): boolean =>
  fieldValue(schema, field)(input) !== undefined;

/** An empty mask is none, as proto3 cannot tell them apart in every client. */
export function maskOf<T>(mask: FieldMask | undefined, parse: (paths: readonly string[]) => T): T | undefined {
  return mask === undefined || mask.paths.length === 0 ? undefined : parse(mask.paths);
}

/** The version that the stored object must have; undefined: any. */
export function lockedVersion(
  { lock }: { readonly lock: boolean },
  object: { readonly metadata?: { readonly version: bigint } | undefined },
): bigint | undefined {
  return lock ? (object.metadata?.version ?? 0n) : undefined;
}

export function required<M>(object: M | undefined): M {
  if (object === undefined) throw invalidFields([{ field: 'object', description: 'must be given: it is what is to be stored' }]);
  return object;
}

export function listAnswer<M>(
  page: { readonly total: number | undefined; readonly nextCursor: string },
  items: readonly M[],
): ListAnswer<M> {
  const { total, nextCursor } = page;
  return { size: items.length, total, items: [...items], nextCursor };
}
