import { type Clock, type Random, StatusError } from '@quartermaster/kernel';
import { ownableFields, recordUpdate, serverSideApply } from '../../patch/index.ts';
import {
  alreadyExists,
  badRequest,
  type Cause,
  conflict,
  forbidden,
  invalid,
  modified,
  notFound,
  problems,
  type Subject,
} from '../../schema/api-status.ts';
import { rulesOf } from '../kinds/kind-rules.ts';
import { metadataProblems, metadataUpdateProblems } from '../kinds/metadata-rules.ts';
import { defaulted, type FieldValidation, readFields, valueProblems } from '../kinds/schema-checks.ts';
import { apiVersionOf, hasSubresource, keyOf, type ServedKind } from '../kinds/served-kind.ts';
import { type JsonObject, jsonEqual, metaOf, objectAt, rfc3339, withFields, withMeta } from '../object/api-object.ts';
import { getObject, type ObjectRef, shown, storable } from '../store/object-reader.ts';
import type { Store } from '../store/store.ts';
import type { Admit } from './admission-policies.ts';
import { generatedName, newUid } from './new-identity.ts';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Of whoever writes: a field manager that was named, or what its user agent starts with. */
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  /** Takes what the writer should know although the write succeeds. */
  readonly warn: (text: string) => void;
  /** Has the last word. Writes of the server itself have none. */
  readonly admit?: Admit | undefined;
}

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string | undefined;
  /** Whether the new state was sent whole, so that its preconditions and its name are the writer's own words. */
  readonly isReplace: boolean;
}

export interface ObjectWriterParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** What only the server as a whole can give an object before it is stored, for instance the address of a Service. */
  readonly complete: (kind: ServedKind, object: JsonObject) => JsonObject;
}

/** Whether a write is told to managedFields here, or has been already. */
type Ownership = 'record' | 'managed';

const namespaces: Subject = { group: '', plural: 'namespaces', kind: 'Namespace' };

/** Creates and changes objects by the rules of their kinds. */
export class ObjectWriter {
  readonly #parts: ObjectWriterParts;

  constructor(parts: ObjectWriterParts) {
    this.#parts = parts;
  }

  create(kind: ServedKind, namespace: string | undefined, body: JsonObject, options: WriteOptions): JsonObject {
    const sent = this.#identified(kind, namespace, readFields(kind, body, options));
    const { name = '', resourceVersion = '' } = metaOf(sent);
    if (resourceVersion !== '') throw badRequest('resourceVersion should not be set on objects to be created');
    if (namespace !== undefined && kind.namespaced) this.#checkNamespace(kind, namespace, name);
    const object = this.#recorded(kind, undefined, this.#made(kind, sent, 'record'), options);
    return this.#store(kind, namespace, object, options);
  }

  /** What creating the object and then writing its status would store, in a namespace that need not exist. Nothing is stored. */
  model(kind: ServedKind, body: JsonObject, options: WriteOptions): JsonObject {
    const sent = this.#identified(kind, metaOf(body).namespace, readFields(kind, body, options));
    const created = this.#recorded(kind, undefined, this.#made(kind, sent, 'record'), options);
    if (sent['status'] === undefined || !hasSubresource(kind, 'status')) return created;
    const told = { ...created, status: { ...objectAt(created, 'status'), ...objectAt(sent, 'status') } };
    return this.#changed(kind, created, told, { ...options, subresource: 'status', isReplace: false }, 'record');
  }

  /** Server-side apply. Creates what does not exist, unless only a part of it is applied. */
  apply(
    kind: ServedKind,
    ref: ObjectRef,
    body: JsonObject,
    options: UpdateOptions & { readonly force: boolean },
  ): { object: JsonObject; created: boolean } {
    const { store } = this.#parts;
    const applied = this.#identified(kind, ref.namespace, readFields(kind, body, options));
    const { name, uid, resourceVersion = '' } = metaOf(applied);
    if (name !== undefined && name !== ref.name)
      throw badRequest(`metadata.name: the name of the object (${name}) does not match the name on the URL (${ref.name})`);
    const found = store.get(kind.storageKey, keyOf(kind.namespaced ? (ref.namespace ?? '') : undefined, ref.name));
    if (found === undefined) {
      if (options.subresource !== undefined) throw notFound(kind, ref.name);
      if (uid !== undefined) throw conflict(kind, ref.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
      if (resourceVersion !== '') throw notFound(kind, ref.name);
      if (ref.namespace !== undefined && kind.namespaced) this.#checkNamespace(kind, ref.namespace, ref.name);
      const merged = this.#merged(kind, undefined, withMeta(applied, { name: ref.name }), options);
      return { object: this.#store(kind, ref.namespace, this.#made(kind, merged, 'managed'), options), created: true };
    }
    const object = this.#update(kind, ref, (live) => this.#merged(kind, live, applied, options), options, 'managed');
    return { object, created: false };
  }

  /** Replaces an object by what `change` makes of it. */
  update(kind: ServedKind, ref: ObjectRef, change: (live: JsonObject) => JsonObject, options: UpdateOptions): JsonObject {
    return this.#update(kind, ref, change, options, 'record');
  }

  #update(
    kind: ServedKind,
    ref: ObjectRef,
    change: (live: JsonObject) => JsonObject,
    options: UpdateOptions,
    ownership: Ownership,
  ): JsonObject {
    const live = getObject(this.#parts.store, kind, ref);
    const sent = readFields(kind, change(live), options);
    this.#checkPreconditions(kind, live, sent, options.isReplace);
    const changed = this.#changed(kind, live, this.#identified(kind, ref.namespace, sent), options, ownership);
    const { subresource, dryRun } = options;
    options.admit?.({ operation: 'UPDATE', kind, ref, subresource, object: changed, oldObject: live, dryRun });
    if (jsonEqual(changed, live)) return live;
    return this.#replace(kind, ref, changed, dryRun);
  }

  /** The object as a write of `sent` leaves it, complete and checked. */
  #changed(kind: ServedKind, live: JsonObject, sent: JsonObject, options: UpdateOptions, ownership: Ownership): JsonObject {
    const after = this.#carried(kind, live, sent, options.subresource);
    const { defaults, changed } = rulesOf(kind);
    const complete = defaulted(kind, defaults?.(after) ?? after, { keepNulls: ownership === 'managed' });
    const full = options.subresource === undefined ? (changed?.(live, complete) ?? complete) : complete;
    this.#validate(kind, full, live, options.subresource);
    const counted = withMeta(full, { generation: this.#generation(kind, live, full) });
    const recorded = ownership === 'record' ? this.#recorded(kind, live, counted, options) : counted;
    return options.subresource === undefined ? this.#parts.complete(kind, recorded) : recorded;
  }

  #replace(kind: ServedKind, ref: ObjectRef, object: JsonObject, dryRun: boolean): JsonObject {
    const { store } = this.#parts;
    if (dryRun) return object;
    const key = keyOf(kind.namespaced ? (ref.namespace ?? '') : undefined, ref.name);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metaOf(object);
    const isReleased = deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
    const mayGo =
      kind.storageKey !== '/namespaces' ||
      objectAt(object, 'spec')['finalizers'] === undefined ||
      jsonEqual(objectAt(object, 'spec')['finalizers'], []);
    if (!isReleased || !mayGo) return shown(kind, store.put(kind.storageKey, key, storable(kind, object)));
    store.remove(kind.storageKey, key);
    return object;
  }

  #store(kind: ServedKind, namespace: string | undefined, object: JsonObject, { dryRun, admit }: WriteOptions): JsonObject {
    const { store } = this.#parts;
    const { name = '' } = metaOf(object);
    admit?.({ operation: 'CREATE', kind, ref: { namespace, name }, subresource: undefined, object, oldObject: undefined, dryRun });
    const key = keyOf(kind.namespaced ? (namespace ?? '') : undefined, name);
    if (store.get(kind.storageKey, key) !== undefined) throw alreadyExists(kind, name);
    if (dryRun) return object;
    return shown(kind, store.put(kind.storageKey, key, storable(kind, object)));
  }

  /** A new object, complete and checked. */
  #made(kind: ServedKind, sent: JsonObject, ownership: Ownership): JsonObject {
    const { clock, random } = this.#parts;
    const meta = metaOf(sent);
    const rules = rulesOf(kind);
    const named = withMeta(sent, {
      name: meta.name ?? (meta.generateName === undefined ? undefined : generatedName(meta.generateName, random)),
      uid: newUid(random),
      creationTimestamp: rfc3339(clock.now()),
      generation: rules.generation === true ? 1 : undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      resourceVersion: undefined,
    });
    const bare = hasSubresource(kind, 'status') && rules.keepsStatus !== true ? withFields(named, { status: undefined }) : named;
    const full = defaulted(kind, rules.defaults?.(bare) ?? bare, { keepNulls: ownership === 'managed' });
    this.#validate(kind, full, undefined, undefined);
    return this.#parts.complete(kind, rules.created?.(full) ?? full);
  }

  /** The object as sent, in the words of this kind and in the place that the path names. */
  #identified(kind: ServedKind, namespace: string | undefined, body: JsonObject): JsonObject {
    const sent = metaOf(body).namespace ?? '';
    if (kind.namespaced && sent !== '' && sent !== namespace)
      throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
    const meta = withMeta(body, { namespace: kind.namespaced ? namespace : undefined });
    return { ...meta, apiVersion: apiVersionOf(kind), kind: kind.kind };
  }

  #merged(
    kind: ServedKind,
    live: JsonObject | undefined,
    applied: JsonObject,
    options: UpdateOptions & { readonly force: boolean },
  ): JsonObject {
    const outcome = serverSideApply(this.#write(kind, live, options), applied, { force: options.force });
    if ('object' in outcome) return outcome.object;
    const causes = outcome.conflicts.map(({ field, message }): Cause => ({ reason: 'FieldManagerConflict', message, field }));
    const { name = '' } = metaOf(live ?? applied);
    const error = conflict(kind, name, outcome.message, causes);
    throw new StatusError(error.code, error.message, { details: { ...(error.details as object), message: outcome.message } });
  }

  #recorded(kind: ServedKind, live: JsonObject | undefined, after: JsonObject, options: UpdateOptions | WriteOptions): JsonObject {
    return recordUpdate(this.#write(kind, live, options), after);
  }

  #write(kind: ServedKind, live: JsonObject | undefined, options: UpdateOptions | WriteOptions) {
    const subresource = 'subresource' in options ? options.subresource : undefined;
    const ownable = ownableFields({ hasStatus: hasSubresource(kind, 'status'), isCustom: kind.custom !== undefined }, subresource);
    return {
      live,
      schema: kind.schema,
      manager: options.manager,
      apiVersion: apiVersionOf(kind),
      now: rfc3339(this.#parts.clock.now()),
      subresource,
      ownable,
    };
  }

  #checkPreconditions(kind: ServedKind, live: JsonObject, sent: JsonObject, isReplace: boolean): void {
    const [old, now] = [metaOf(live), metaOf(sent)];
    const name = old.name ?? '';
    if (now.name === undefined || now.name === '')
      throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
    if (now.name !== name) throw badRequest(`the name of the object (${now.name}) does not match the name on the URL (${name})`);
    if (isReplace && now.uid !== undefined && now.uid !== old.uid)
      throw conflict(kind, name, `Precondition failed: UID in precondition: ${now.uid}, UID in object meta: ${old.uid}`);
    const version = now.resourceVersion ?? '';
    if (version === '' && isReplace && rulesOf(kind).needsVersion === true)
      throw invalid(kind, name, [problems.invalid('metadata.resourceVersion', 0, 'must be specified for an update')]);
    if (version !== '' && version !== old.resourceVersion) throw modified(kind, name);
  }

  /** What was sent, with everything that this kind of write leaves as it is. */
  #carried(kind: ServedKind, live: JsonObject, sent: JsonObject, subresource: string | undefined): JsonObject {
    const old = metaOf(live);
    const isStatus = subresource === 'status';
    const base: JsonObject = isStatus
      ? withFields(
          { ...live, ...(['/nodes', '/pods'].includes(kind.storageKey) ? { metadata: sent['metadata'] ?? {} } : {}) },
          { status: sent['status'] },
        )
      : hasSubresource(kind, 'status') && subresource !== 'binding'
        ? withFields(sent, { status: live['status'] })
        : sent;
    return withMeta(base, {
      ...metaOf(base),
      name: metaOf(base).name ?? old.name,
      uid: metaOf(base).uid ?? old.uid,
      creationTimestamp: old.creationTimestamp,
      deletionTimestamp: old.deletionTimestamp,
      deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
      generateName: old.generateName,
      generation: old.generation,
      resourceVersion: old.resourceVersion,
      managedFields: isStatus ? (metaOf(sent).managedFields ?? old.managedFields) : metaOf(sent).managedFields,
    });
  }

  #generation(kind: ServedKind, live: JsonObject, after: JsonObject): number | undefined {
    const { generation } = metaOf(live);
    if (rulesOf(kind).generation !== true) return generation;
    const strip = { metadata: undefined, status: hasSubresource(kind, 'status') ? undefined : after['status'] };
    const stripLive = { metadata: undefined, status: hasSubresource(kind, 'status') ? undefined : live['status'] };
    const changed = !jsonEqual(withFields(after, strip), withFields(live, stripLive));
    return (generation ?? 1) + (changed ? 1 : 0);
  }

  #validate(kind: ServedKind, object: JsonObject, live: JsonObject | undefined, subresource: string | undefined): void {
    const rules = rulesOf(kind);
    const causes = [
      ...(live === undefined ? [] : metadataUpdateProblems(live, object)),
      ...metadataProblems(kind, object),
      ...valueProblems(kind, object, live),
      ...(subresource === 'status' ? [] : (rules.problems?.(object) ?? [])),
      ...(live === undefined || subresource !== undefined ? [] : (rules.updateProblems?.(live, object) ?? [])),
    ];
    if (causes.length > 0) throw invalid(kind, metaOf(object).name ?? '', causes);
  }

  #checkNamespace(kind: ServedKind, namespace: string, name: string): void {
    const found = this.#parts.store.get('/namespaces', namespace);
    if (found === undefined) throw notFound(namespaces, namespace);
    if (metaOf(found).deletionTimestamp === undefined) return;
    const message = `namespace ${namespace} is being terminated`;
    throw forbidden(kind, name, `unable to create new content in namespace ${namespace} because it is being terminated`, {
      causes: [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
    });
  }
}
