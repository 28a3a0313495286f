import { clone, create } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { isOwn, tenantsForCreate, tenantsForUpdate } from '@quartermaster/auth';
import { type Clock, type FieldViolation, invalidFields, StatusError } from '@quartermaster/kernel';
import {
  type Database,
  databaseFailure,
  lockOf,
  type StoredMetadata,
  type StoredObject,
  type Transaction,
  WriteBatch,
} from '@quartermaster/store';
import { recordWrite } from '../audit/index.ts';
import type { AnyKinds, Kind } from '../kinds/index.ts';
import { keepStored, type OutputOnly } from '../masks/index.ts';
import { enumViolations, type SentUpdate, type Usage } from '../rules/index.ts';
import type { Call } from './call.ts';
import { mayReveal } from './may-reveal.ts';
import { checkId, notFound } from './read-objects.ts';
import { bindReferences, resolveReferences } from './references.ts';
import { checkReserved } from './reserved-fields.ts';
import { refuseWhileUsed } from './usages.ts';
import { readSeen, type SeenObject, sees, viewsOf } from './visibility.ts';

export interface WriterOptions<M extends StoredObject> {
  readonly database: Database;
  /** All of the service: references lead to them, and usages come from them. */
  readonly kinds: AnyKinds;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
  /** More that a write of this kind brings with it, in the same transaction. */
  readonly alsoWrite?: AlsoWrite<M> | undefined;
  /** Locks that the creation of an object takes beside its own, as far as they are known before it begins. */
  readonly alsoLock?: ((object: M) => readonly string[]) | undefined;
}

/**
 * Adds to the batch what follows from a change, and gives back what is to be stored in place of `after`. Without `before` the object is new, without `after` it goes. Called
 * before anything is written.
 */
export type AlsoWrite<M extends StoredObject> = (
  tx: Transaction,
  batch: WriteBatch,
  before: M | undefined,
  after: M | undefined,
  call: Call,
) => Promise<M | undefined>;

/** What a request to update asks for. */
export interface UpdateRequest<M extends StoredObject> {
  readonly id: string;
  /** Only while this is the version of the stored object. */
  readonly version?: bigint | undefined;
  /** The object that the caller wants, given the stored one, and what is wrong with that wish. */
  readonly merge: (stored: M) => Wish<M>;
}

export interface Wish<M extends StoredObject> extends Pick<SentUpdate, 'sends'> {
  readonly object: M;
  readonly violations: readonly FieldViolation[];
}

/** Writes objects of one kind. Each write is one transaction, in which the object, its secrets, the feed and the audit log change together. */
export class ObjectWriter<M extends StoredObject> {
  readonly kind: Kind<M>;
  readonly #options: WriterOptions<M>;
  readonly #schema: GenMessage<M>;

  constructor(kind: Kind<M>, options: WriterOptions<M>) {
    this.kind = kind;
    this.#options = options;
    this.#schema = kind.schema;
  }

  /** Stores a new object and gives it back as stored. What `outputOnly` names is not taken from the caller. */
  async create(call: Call, object: M, outputOnly: readonly OutputOnly[]): Promise<M> {
    const { rules, store } = this.kind;
    const given = keepStored(this.#schema, create(this.#schema), object, { outputOnly });
    given.id = object.id;
    const normal = rules.normalise(given);
    refuse([...rules.validate(normal), ...enumViolations(this.#schema, normal, undefined)]);
    if (normal.id === '') normal.id = this.#options.newId();
    const metadata = this.#metadataOf(normal);
    metadata.creationTimestamp = timestampFromMs(this.#options.clock.now());
    metadata.creators = [call.principal.name];
    metadata.tenants = tenantsForCreate(call.principal, metadata.tenants);
    const locks = this.#options.alsoLock?.(normal) ?? [];
    const work = async (tx: Transaction, batch: WriteBatch): Promise<M> => {
      if (call.isDryRun && (await store.get(tx, normal.id)) !== undefined) throw takenInstead(this.kind, normal.id);
      const references = rules.references(normal);
      const referenced = await resolveReferences(tx, this.#options.kinds, call.principal, references);
      const prepared = rules.onCreate(bindReferences(this.#schema, normal, referenced, references), referenced);
      refuse(prepared.violations);
      checkReserved(this.kind, call.principal, undefined, prepared.object);
      const after = await this.#settled(tx, batch, undefined, prepared.object, call);
      const stored = store.create(batch, after, await viewsOf(tx, this.kind, undefined, after));
      this.#audit(batch, call, undefined, stored);
      return stored;
    };
    return await this.#transaction(call, normal.id, work, locks);
  }

  /** Gives back what is stored then. An update that changes nothing writes nothing. */
  async update(call: Call, request: UpdateRequest<M>): Promise<M> {
    checkId(request.id, 'object.id');
    return await this.#transaction(call, request.id, async (tx, batch) => {
      const seen = await this.#read(tx, call, request.id);
      const stored = seen.object;
      if (request.version !== undefined) this.#checkVersion(stored, request.version);
      const wished = await this.#prepared(tx, call, stored, request.merge(stored));
      const { store } = this.kind;
      if (store.isSame(stored, wished)) return stored;
      const views = await viewsOf(tx, this.kind, seen, wished);
      const isOver = wished.metadata?.deletionTimestamp !== undefined && wished.metadata.finalizers.length === 0;
      if (isOver) await this.#refuseWhileUsed(tx, call, stored, 'removal');
      if (isOver) await this.#options.alsoWrite?.(tx, batch, stored, undefined, call);
      const after = isOver ? wished : await this.#settled(tx, batch, stored, wished, call);
      const result = isOver ? store.remove(batch, stored, after, { ...views, isUpdate: true }) : store.update(batch, stored, after, views);
      // What was sent, not what was stored: in place of a new secret that one has a mark, as the old one had.
      this.#audit(batch, call, stored, after);
      return result;
    });
  }

  /** Marks the object as deleted, once, and takes it away when no finalizer keeps it. */
  async delete(call: Call, id: string, version?: bigint): Promise<void> {
    checkId(id);
    await this.#transaction(call, id, async (tx, batch) => {
      const { rules, store } = this.kind;
      const seen = await this.#read(tx, call, id);
      const stored = seen.object;
      if (version !== undefined) this.#checkVersion(stored, version);
      if (stored.metadata?.deletionTimestamp !== undefined && stored.metadata.finalizers.length > 0) return;
      const reason = rules.onDelete(stored);
      if (reason !== undefined) throw new StatusError('failed_precondition', `${this.kind.singular} "${id}" cannot be deleted: ${reason}`);
      const after = clone(this.#schema, stored);
      const metadata = this.#metadataOf(after);
      metadata.deletionTimestamp ??= timestampFromMs(this.#options.clock.now());
      const isOver = metadata.finalizers.length === 0;
      await this.#refuseWhileUsed(tx, call, stored, isOver ? 'removal' : 'delete');
      const views = await viewsOf(tx, this.kind, seen, after);
      await this.#options.alsoWrite?.(tx, batch, stored, isOver ? undefined : after, call);
      if (isOver) store.remove(batch, stored, after, views);
      else store.update(batch, stored, after, views);
      this.#audit(batch, call, stored, after);
    });
  }

  /** Tells the private feed of the object. */
  async signal(call: Call, id: string): Promise<void> {
    checkId(id);
    await this.#transaction(call, id, async (tx, batch) => {
      const seen = await this.#read(tx, call, id);
      this.kind.store.announce(batch, 'signaled', seen.object, await viewsOf(tx, this.kind, seen, seen.object));
    });
  }

  async #settled(tx: Transaction, batch: WriteBatch, before: M | undefined, after: M, call: Call): Promise<M> {
    return (await this.#options.alsoWrite?.(tx, batch, before, after, call)) ?? after;
  }

  async #prepared(tx: Transaction, call: Call, stored: M, wish: Wish<M>): Promise<M> {
    const { rules, store } = this.kind;
    refuse(wish.violations);
    const normal = rules.normalise(wish.object);
    normal.id = stored.id;
    const metadata = this.#metadataOf(normal);
    if (stored.metadata?.tenants.join('\0') !== metadata.tenants.join('\0')) {
      metadata.tenants = tenantsForUpdate(call.principal, metadata.tenants, stored.metadata?.tenants ?? []);
      this.#checkNewTenants(call, stored, metadata.tenants);
    }
    refuse([...rules.validate(normal, stored), ...enumViolations(this.#schema, normal, stored)]);
    const references = rules.references(normal, stored);
    const referenced = await resolveReferences(tx, this.#options.kinds, call.principal, references);
    // Whether a guess is right is told to nobody who may not read the secret: what such a caller sends counts as new.
    const mayCompare = mayReveal(call.principal, stored.metadata?.tenants ?? []);
    const secrets = mayCompare ? await store.knownSecrets(tx, stored, normal) : new Map<string, Uint8Array>();
    const bound = bindReferences(this.#schema, normal, referenced, references);
    const prepared = rules.onUpdate(stored, bound, referenced, { sends: wish.sends, secrets });
    refuse(prepared.violations);
    const after = store.withKnownSecrets(secrets, stored, prepared.object);
    checkReserved(this.kind, call.principal, stored, after);
    return after;
  }

  /**
   * A tenant may open the secrets of its objects: whoever may not do so itself cannot hand them to one. Whether there are any now is beside the point: a controller
   * writes those again that somebody cleared.
   */
  #checkNewTenants({ principal }: Call, stored: M, tenants: readonly string[]): void {
    const old = stored.metadata?.tenants ?? [];
    const added = tenants.find((tenant) => !old.includes(tenant));
    if (added === undefined || mayReveal(principal, old) || this.kind.secretPaths.length === 0) return;
    throw new StatusError(
      'permission_denied',
      `field "metadata.tenants": ${principal.name} has the role ${principal.role}, which may not open the secrets of ${this.kind.singular} "${stored.id}", and so cannot give them to tenant '${added}': ask an administrator`,
    );
  }

  /** Of an object of ours: made where it has none. */
  #metadataOf(object: M): StoredMetadata {
    return (object.metadata ??= create(this.kind.metadata));
  }

  async #refuseWhileUsed(tx: Transaction, { principal }: Call, stored: M, blocked: Usage['blocks']): Promise<void> {
    await refuseWhileUsed(tx, this.kind, this.#options.kinds, stored, { principal, blocked });
  }

  async #read(tx: Transaction, { principal }: Call, id: string): Promise<SeenObject<M>> {
    const seen = await readSeen(tx, this.kind, id);
    if (seen === undefined || !sees(this.kind, principal, seen.viewers)) throw notFound(this.kind, id);
    if (!isOwn(principal, seen.viewers)) {
      const what = `${this.kind.singular} "${id}"`;
      throw new StatusError('permission_denied', `${what} is shared with everybody: only its own tenants and its provider may change it`);
    }
    return seen;
  }

  #checkVersion(stored: M, requested: bigint): void {
    const current = stored.metadata?.version ?? 0n;
    if (requested === current) return;
    throw new StatusError(
      'aborted',
      `${this.kind.singular} "${stored.id}" has been modified: requested version is ${requested} but current version is ${current}; read it again and retry`,
      { details: { fieldViolations: [{ field: 'metadata.version', description: `must be the current version, ${current}` }] } },
    );
  }

  #audit(batch: WriteBatch, call: Call, before: M | undefined, after: M): void {
    recordWrite(batch, call, this.kind, this.#options.newId, before, after);
  }

  async #transaction<T>(
    call: Call,
    id: string,
    work: (tx: Transaction, batch: WriteBatch) => Promise<T>,
    locks: readonly string[] = [],
  ): Promise<T> {
    let hasWritten = false;
    try {
      const write = async (tx: Transaction): Promise<T> => {
        const batch = new WriteBatch();
        const result = await work(tx, batch);
        hasWritten = !call.isDryRun && !batch.isEmpty;
        if (hasWritten) await batch.flushLast(tx);
        return result;
      };
      return await this.#options.database.transaction([lockOf(this.kind.name, id), ...locks], write, { keepsPlans: true });
    } catch (thrown) {
      throw takenInstead(this.kind, id, thrown);
    } finally {
      if (hasWritten) this.#options.onWritten();
    }
  }
}

function refuse(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw invalidFields(violations);
}

/** The refusal of an id or another value that is taken, in the words of the contract; anything else as it is. */
function takenInstead<M extends StoredObject>(kind: Kind<M>, id: string, thrown?: unknown): unknown {
  const constraint = databaseFailure(thrown)?.constraint;
  if (thrown === undefined || constraint === `${kind.name}_pkey`) {
    const description = `a ${kind.singular} with the id "${id}" already exists; choose another id, or leave it empty to have one generated`;
    return new StatusError('already_exists', `field "id": ${description}`, {
      details: { fieldViolations: [{ field: 'id', description }] },
    });
  }
  const unique = kind.unique?.[constraint ?? ''];
  if (unique === undefined) return thrown;
  return new StatusError('already_exists', `field "${unique.field}": ${unique.description}`, { details: { fieldViolations: [unique] } });
}
