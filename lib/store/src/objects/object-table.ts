import { create, equals, fromBinary, toBinary } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import type { Queryable } from '../database.ts';
import type { ChangeType } from '../feed/change.ts';
import { toStorageJson } from '../filter/evaluate/storage-json.ts';
import type { Sealed } from '../key-ring.ts';
import { formatTimestamp } from '../timestamp.ts';
import { encodeChangeBody } from './change-body.ts';
import { columnValues } from './column-values.ts';
import { archivePart, changesPart, deleteSecretsPart, type ObjectParts, objectParts } from './object-parts.ts';
import type { ObjectType } from './object-type.ts';
import { sealSecret, secretContext } from './seal-secret.ts';
import { isEqualSecret, isRedaction, redactedBytes, type SecretField, secretField, sentSecrets } from './secret-fields.ts';
import type { StoredObject } from './stored-object.ts';
import { hasUnknownFields } from './unknown-fields.ts';
import { type BatchRow, hexOf, RawJson, type WriteBatch } from './write-batch.ts';

/** What the store needs of a key ring. */
export interface Sealer {
  seal(plain: Uint8Array, context: string): Sealed;
  open(sealed: Sealed, context: string): Uint8Array;
}

/** The tenants that see the object before and after a write, where that is not what its metadata says. */
export interface Views {
  readonly before?: readonly string[] | undefined;
  readonly after?: readonly string[] | undefined;
}

/** More of one name tell nobody anything: two are too many already. */
const maxSameName = 20;

/** Fields that have columns of their own. */
const inColumns: ReadonlySet<string> = new Set(['id', 'metadata']);

interface BodyRow {
  readonly body: Uint8Array;
}

/** A secret as it lies in its table. */
export interface SecretRow {
  readonly path: string;
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/**
 * Objects of one type. Reads come from any Queryable; writes go into a batch of a transaction that has locked the objects and has read them since. Messages are
 * never changed in place, and what comes back has the mark `<redacted>` where a secret is set.
 */
export class ObjectTable<M extends StoredObject> {
  readonly type: ObjectType<M>;
  readonly #keys: Sealer;
  readonly #secrets: readonly SecretField<M>[];
  readonly #columns: (object: M) => BatchRow;
  readonly #parts: ObjectParts;
  readonly #get: { readonly name: string; readonly text: string };
  readonly #getMany: { readonly name: string; readonly text: string };
  readonly #byIdOrName: { readonly name: string; readonly text: string };

  constructor(type: ObjectType<M>, keys: Sealer) {
    this.type = type;
    this.#keys = keys;
    this.#secrets = type.secretPaths.map((path) => secretField<M>(type.schema, path));
    this.#parts = objectParts(type);
    this.#columns = columnValues(type);
    const select = `select body from ${type.name}`;
    this.#get = { name: `get-${type.name}`, text: `${select} where id = $1` };
    this.#getMany = { name: `get-many-${type.name}`, text: `${select} where id = any($1::text[])` };
    this.#byIdOrName = {
      name: `find-${type.name}`,
      text:
        `select distinct on (id) id, body from unnest($1::text[]) as wanted(text) cross join lateral (select id, body from ${type.name} ` +
        'where (id = wanted.text or name = wanted.text) and ($2::text[] is null or tenants && $2) ' +
        `order by id <> wanted.text, deleted_at is not null, id limit ${maxSameName}) as found order by id`,
    };
  }

  async get(db: Queryable, id: string): Promise<M | undefined> {
    const [row] = await db.query<BodyRow>(this.#get, [id]);
    return row === undefined ? undefined : this.decode(row.body);
  }

  /** id -> object; those that are not there are left out. */
  async getMany(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, M>> {
    if (ids.length === 0) return new Map();
    const rows = await db.query<BodyRow>(this.#getMany, [ids]);
    return new Map(rows.map(({ body }) => this.decode(body)).map((object) => [object.id, object]));
  }

  /** Those whose id or name is one of the texts: for each, the one with that id and some of that name. With `tenants`, only of theirs. */
  async findByIdOrName(db: Queryable, texts: readonly string[], tenants?: readonly string[]): Promise<readonly M[]> {
    if (texts.length === 0) return [];
    const rows = await db.query<BodyRow>(this.#byIdOrName, [texts, tenants ?? null]);
    return rows.map(({ body }) => this.decode(body));
  }

  decode(body: Uint8Array): M {
    return fromBinary(this.type.schema, body);
  }

  /** Another message with the same content. Three times as fast as a clone by reflection. */
  copy(object: M): M {
    return this.decode(this.#encode(object));
  }

  /** Adds a new object, whose id and metadata are complete. Secrets in it are sealed. */
  create(batch: WriteBatch, object: M, views: Views = {}): M {
    const stored = this.#withMetadata(object, { version: 0n });
    this.#sealSecrets(batch, undefined, stored);
    const body = this.#encode(stored);
    batch.add(this.#parts.insert, this.#row(stored, body));
    const seenBy = views.after ?? stored.metadata?.tenants ?? [];
    this.#change(batch, 'created', stored, body, { before: [], after: seenBy });
    return stored;
  }

  /**
   * Writes `after` over `before`, as it was read in this transaction; its version grows by one. In a secret field the mark means "as it is", nothing means
   * that it is cleared, and anything else is a new value.
   */
  update(batch: WriteBatch, before: M, after: M, views: Views = {}): M {
    const stored = this.#next(before, after);
    this.#sealSecrets(batch, before, stored);
    const body = this.#encode(stored);
    const known = hasUnknownFields(before) ? this.#data(before) : null;
    batch.add(this.#parts.update, { ...this.#row(stored, body), known, expected: String(before.metadata?.version ?? 0n) });
    this.#change(batch, 'updated', stored, body, this.#views(before, stored, views), before);
    return stored;
  }

  /**
   * Takes the object away, into the archive, and its secrets for good. `last` is what it was at the end, where that differs from `before`; with `isUpdate` the feed
   * tells that change, too, and the deletion after it.
   */
  remove(batch: WriteBatch, before: M, last: M, { isUpdate = false, ...views }: Views & { readonly isUpdate?: boolean } = {}): M {
    const stored = this.isSame(before, last) ? last : this.#next(before, last);
    if (stored !== last) for (const field of this.#secrets) if (field.read(stored) !== undefined) field.write(stored, redactedBytes);
    const { name: kind } = this.type;
    const encoded = this.#encode(stored);
    const { id, name, version, created_at, deleted_at, tenants, body } = this.#row(stored, encoded);
    batch.add(this.#parts.remove, { id: before.id, expected: String(before.metadata?.version ?? 0n) });
    batch.add(archivePart, { kind, id, name, version, created_at, deleted_at: deleted_at ?? created_at, tenants, body } as BatchRow);
    if (this.#secrets.length > 0) batch.add(deleteSecretsPart, { kind, object_id: before.id, path: null });
    const seen = this.#views(before, stored, views);
    if (isUpdate) this.#change(batch, 'updated', stored, encoded, seen, before);
    this.#change(batch, 'deleted', stored, encoded, { before: seen.before, after: [] });
    return stored;
  }

  /** Tells the feed of an object although nothing changed in it: a signal, or others who see it now. */
  announce(batch: WriteBatch, type: ChangeType, object: M, views: Views = {}): void {
    this.#change(batch, type, object, this.#encode(object), this.#views(object, object, views), object);
  }

  /** Whether writing `after` over `before` would change nothing. A secret that is sent anew counts as a change: see `withKnownSecrets`. */
  isSame(before: M, after: M): boolean {
    return equals(this.type.schema, before, after);
  }

  /** path -> stored value of every secret, where one of them is sent anew. Else nothing, and the database is not asked. */
  async knownSecrets(db: Queryable, before: M, after: M): Promise<ReadonlyMap<string, Uint8Array>> {
    return sentSecrets(this.#secrets, before, after).length === 0 ? new Map() : await this.secretsOf(db, before.id);
  }

  /** `after`, with the mark in place of each secret that is sent anew and equals the stored one. */
  withKnownSecrets(known: ReadonlyMap<string, Uint8Array>, before: M, after: M): M {
    const sent = sentSecrets(this.#secrets, before, after);
    if (sent.length === 0) return after;
    const result = this.copy(after);
    for (const field of sent) {
      const [value, stored] = [field.read(after), known.get(field.path)];
      if (value !== undefined && stored !== undefined && isEqualSecret(value, stored)) field.write(result, redactedBytes);
    }
    return result;
  }

  /** path -> value of every secret that is set. */
  async secretsOf(db: Queryable, id: string): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await db.query<SecretRow>(
      { name: 'secrets-of', text: 'select path, key_id, sealed from secrets where kind = $1 and object_id = $2' },
      [this.type.name, id],
    );
    return new Map(rows.map((row) => [row.path, this.#opened(id, row)]));
  }

  /** Whether any secret of an object that was read is set. */
  hasSecrets(object: M): boolean {
    return this.#secrets.some((field) => field.read(object) !== undefined);
  }

  /** Puts its secrets into an object that was read, in place. */
  reveal(object: M, secrets: readonly SecretRow[]): M {
    for (const field of this.#secrets) {
      if (field.read(object) === undefined) continue;
      const row = secrets.find(({ path }) => path === field.path);
      field.write(object, row === undefined ? undefined : this.#opened(object.id, row));
    }
    return object;
  }

  #opened(id: string, { path, key_id, sealed }: SecretRow): Uint8Array {
    return this.#keys.open({ keyId: key_id, bytes: sealed }, secretContext({ kind: this.type.name, id, path }));
  }

  #next(before: M, after: M): M {
    return this.#withMetadata(after, { version: (before.metadata?.version ?? 0n) + 1n });
  }

  #withMetadata(object: M, { version }: { readonly version: bigint }): M {
    const stored = this.copy(object);
    stored.metadata ??= create(this.type.metadata);
    stored.metadata.version = version;
    return stored;
  }

  /** Puts the secrets of `stored` into the batch and marks into their place. */
  #sealSecrets(batch: WriteBatch, before: M | undefined, stored: M): void {
    const { name: kind } = this.type;
    for (const field of this.#secrets) {
      const value = field.read(stored);
      const isKnown = before !== undefined && field.read(before) !== undefined;
      if (value === undefined) {
        if (isKnown) batch.add(deleteSecretsPart, { kind, object_id: stored.id, path: field.path });
      } else if (isRedaction(value)) {
        if (!isKnown) field.write(stored, undefined);
      } else {
        sealSecret(batch, this.#keys, { kind, id: stored.id, path: field.path }, value);
        field.write(stored, redactedBytes);
      }
    }
  }

  #encode(object: M): Uint8Array {
    return toBinary(this.type.schema, object);
  }

  #row(stored: M, body: Uint8Array): BatchRow {
    const { metadata } = stored;
    if (metadata?.creationTimestamp === undefined) {
      throw new StatusError('internal', `${this.type.singular} ${stored.id} has no creation timestamp: set it before it is stored`);
    }
    // For its check of the texts: what the columns hold is written below.
    toStorageJson(this.type.metadata, metadata);
    return {
      id: stored.id,
      name: metadata.name,
      version: String(metadata.version),
      created_at: formatTimestamp(metadata.creationTimestamp),
      deleted_at: metadata.deletionTimestamp === undefined ? null : formatTimestamp(metadata.deletionTimestamp),
      finalizers: metadata.finalizers,
      creators: metadata.creators,
      tenants: metadata.tenants,
      labels: metadata.labels,
      annotations: metadata.annotations,
      data: this.#data(stored),
      body: hexOf(body),
      ...this.#columns(stored),
    };
  }

  #data(object: M): RawJson {
    return new RawJson(toStorageJson(this.type.schema, object, inColumns));
  }

  #views(before: M, after: M, views: Views): { readonly before: readonly string[]; readonly after: readonly string[] } {
    return { before: views.before ?? before.metadata?.tenants ?? [], after: views.after ?? after.metadata?.tenants ?? [] };
  }

  #change(
    batch: WriteBatch,
    type: ChangeType,
    object: M,
    encoded: Uint8Array,
    views: { readonly before: readonly string[]; readonly after: readonly string[] },
    before?: M,
  ): void {
    const hasLeavers = views.before.some((tenant) => !views.after.includes(tenant));
    const { name: kind } = this.type;
    const body = encodeChangeBody({
      object: encoded,
      ...(type === 'updated' && hasLeavers && before !== undefined ? { before: this.#encode(before) } : {}),
    });
    batch.add(changesPart, {
      kind,
      type,
      object_id: object.id,
      version: String(object.metadata?.version ?? 0n),
      tenants_before: views.before,
      tenants_after: views.after,
      body: hexOf(body),
    });
  }
}
