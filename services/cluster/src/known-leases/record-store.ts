import { type TenantLease, tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { jsonEqual, type Source } from '@quartermaster/controller';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, isFailure, isRead, type KubeReader, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import type { LeaseId } from '../model/lease.ts';
import type { LeaseRecord } from './lease-record.ts';
import { readRecord, recordObject, recordPatch } from './record-object.ts';
import { sourceIfKnown } from './source-if-known.ts';
import { WrittenCache } from './written-cache.ts';

const maxTries = 4;

/** What a change makes of a record. It is asked again where somebody else was faster. */
export type RecordChange = (before: LeaseRecord) => LeaseRecord;

/** The records of leases: on every replica as the API server has them, on the leader with what it has just written. */
export class RecordStore {
  readonly source: Source;
  readonly #cache: Cache<LeaseRecord>;
  readonly #reader: Pick<KubeReader, 'find'>;
  readonly #records: WrittenCache<TenantLease, LeaseRecord>;

  constructor(caches: CacheOpener, reader: Pick<KubeReader, 'find'>, clock: Clock) {
    this.#reader = reader;
    const cache = caches.open({ type: tenantLeaseType, project: readRecord, indexes: { namespace: ({ value }) => [value.namespace] } });
    this.#cache = cache;
    this.#records = new WrittenCache({
      ...{ cache, project: readRecord, clock },
      group: { index: 'namespace', of: ({ value }) => value.namespace },
    });
    this.source = sourceIfKnown(cache, clock);
  }

  of(name: string): LeaseRecord | undefined {
    return this.#records.get(name)?.value;
  }

  /** The lease whose namespace has this name, or will have it. */
  nameOf(namespace: string): string | undefined {
    return this.#records.in(namespace)[0]?.key;
  }

  all(): readonly LeaseRecord[] {
    return this.#records.all().map(({ value }) => value);
  }

  /** That they are not known, or not being followed. */
  problem(): string | undefined {
    if (this.#cache.status().absent)
      return 'the cluster does not know the kind TenantLease: apply what `quartermaster manifests service-cluster` prints';
    return this.#cache.stale()?.reason;
  }

  /** All of them were read, or there can be none. */
  get isRead(): boolean {
    return isRead(this.#cache.status());
  }

  /** The one of the name that there is, or a new one. */
  async ensure(writer: Pick<KubeWriter, 'create'>, name: string, lease: LeaseId, namespace: string): Promise<LeaseRecord> {
    const standing = this.of(name);
    if (standing !== undefined) return standing;
    try {
      return this.#records.wrote(await writer.create(tenantLeaseType, recordObject(name, lease, namespace), { fieldManager }));
    } catch (thrown) {
      if (!isFailure(thrown, 'already-exists')) throw thrown;
    }
    const found = await this.#reader.find(tenantLeaseType, { name });
    if (found !== undefined) return this.#records.wrote(found);
    throw new StatusError('aborted', `TenantLease ${name} was deleted while it was being created: try again`);
  }

  /** Writes what is different, and nothing where nothing is. */
  async change(writer: Pick<KubeWriter, 'patch'>, name: string, change: RecordChange): Promise<LeaseRecord> {
    for (let tries = 1; ; tries += 1) {
      const kept = this.#records.get(name);
      if (kept === undefined) throw new StatusError('aborted', `TenantLease ${name} is gone: look again`);
      const before = kept.value;
      const after = change(before);
      if (after === before || jsonEqual(plain(after), plain(before))) return before;
      try {
        const body = recordPatch(after, kept.resourceVersion);
        const options = { fieldManager, subresource: 'status' };
        return this.#records.wrote(await writer.patch(tenantLeaseType, { name }, { kind: 'merge', body }, options));
      } catch (thrown) {
        if (!isFailure(thrown, 'conflict', 'not-found') || tries >= maxTries) throw thrown;
      }
      const found = await this.#reader.find(tenantLeaseType, { name });
      if (found === undefined) {
        this.#records.forget(name, kept.uid);
        throw new StatusError('aborted', `TenantLease ${name} is gone: look again`);
      }
      this.#records.wrote(found);
    }
  }

  /** Forgets one that has been kept long enough. */
  async remove(writer: Pick<KubeWriter, 'delete'>, { name, uid }: Pick<LeaseRecord, 'name' | 'uid'>): Promise<void> {
    try {
      await writer.delete(tenantLeaseType, { name }, { preconditions: { uid } });
    } catch (thrown) {
      if (!isFailure(thrown, 'conflict', 'not-found')) throw thrown;
    }
    this.#records.forget(name, uid);
  }
}

/** Numbers of 64 bits are no JSON. */
const plain = ({ lease: _lease, ...rest }: LeaseRecord): object => rest;
