import { createHash } from 'node:crypto';
import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import { type Manifest, manifestType } from '@quartermaster/api/manifest';
import { jsonEqual, type Source, sourceOf } from '@quartermaster/controller';
import { type Clock, defineSteps, messageOf, type Random, StatusError } from '@quartermaster/kernel';
import {
  type Cache,
  type CacheOpener,
  isFailure,
  type KubeFailureKind,
  type KubeReader,
  type KubeWriter,
  kinds,
} from '@quartermaster/kube';
import type { Secret } from '@quartermaster/kube/shapes';
import { manifestObject, type SchedulerParams } from '../manifest/manifest-object.ts';
import { readManifestObject } from '../manifest/read-manifest-object.ts';
import { fieldManager } from '../model/field-manager.ts';
import type { LeaseId } from '../model/lease.ts';
import { namespaceLabel } from '../model/lease-labels.ts';
import { type KeptSecret, keptSecret } from './kept-secret.ts';
import { WrittenCache } from './written-cache.ts';

/** What a lease is to run, as it is stored. */
export interface StoredManifest {
  /** With the values of sensitive variables and credentials. */
  readonly group: ManifestGroup;
  readonly hash: string;
  readonly salt: string;
  readonly confirmed: readonly string[];
  readonly lease: LeaseId;
  /** Of the Manifest. */
  readonly resourceVersion: string;
}

interface FoundManifest {
  /** Of the lease. */
  readonly namespace: string;
  readonly isSecretAlone: boolean;
  /** That it names. */
  readonly lease: LeaseId | undefined;
  /** Made by this store, as what nobody else writes says. */
  readonly isOurs: boolean;
}

export interface AcceptedManifest {
  readonly lease: LeaseId;
  /** Of the lease's namespace. */
  readonly namespace: string;
  readonly group: ManifestGroup;
  readonly hash: string;
  readonly confirmed: readonly string[];
  readonly scheduler: ReadonlyMap<string, SchedulerParams>; // service -> what it was planned with
}

/** Of the Secret: what hashes are made with. No variable has this key. */
const saltKey = 'salt';
const steps = defineSteps('manifest', ['secret', 'stored', 'cleaned']);

/**
 * Manifests with their Secrets. A Secret never changes: a new manifest has a new one, which is there before the Manifest names it, so that what is read is always the whole of
 * one manifest. What no Manifest names is deleted.
 */
export class ManifestStore {
  readonly source: (nameOf: (namespace: string) => string | undefined) => readonly Source[];
  readonly #namespace: string;
  readonly #sensitiveEnv: readonly string[];
  readonly #reader: Pick<KubeReader, 'find' | 'list'>;
  readonly #random: Random;
  readonly #followed: readonly Pick<Cache<unknown>, 'stale'>[];
  /** Both by the name of the lease's namespace. */
  readonly #manifests: WrittenCache<Manifest, Manifest>;
  readonly #secrets: WrittenCache<Secret, KeptSecret>;

  constructor(
    caches: CacheOpener,
    reader: Pick<KubeReader, 'find' | 'list'>,
    options: { readonly namespace: string; readonly sensitiveEnv: readonly string[]; readonly random: Random; readonly clock: Clock },
  ) {
    this.#namespace = options.namespace;
    this.#sensitiveEnv = options.sensitiveEnv;
    this.#reader = reader;
    this.#random = options.random;
    const { namespace, clock } = options;
    const whole = (manifest: Manifest): Manifest => manifest;
    const leaseOfEntry = {
      manifest: ({ value }: { value: Manifest }) => value.metadata?.name ?? '',
      secret: ({ value }: { value: KeptSecret }) => value.namespace,
    };
    const manifests = caches.open({
      ...{ name: 'manifests', type: manifestType, namespace, project: whole },
      indexes: { lease: (entry) => [leaseOfEntry.manifest(entry)] },
    });
    const secrets = caches.open({
      name: 'secrets of manifests',
      type: kinds.secrets,
      namespace,
      labelSelector: namespaceLabel,
      project: keptSecret,
      indexes: { lease: (entry) => [leaseOfEntry.secret(entry)] },
    });
    this.#followed = [manifests, secrets];
    this.#manifests = new WrittenCache({ cache: manifests, project: whole, clock, group: { index: 'lease', of: leaseOfEntry.manifest } });
    this.#secrets = new WrittenCache({ cache: secrets, project: keptSecret, clock, group: { index: 'lease', of: leaseOfEntry.secret } });
    this.source = (nameOf) => {
      const keys = (lease: string): readonly string[] => {
        const name = nameOf(lease);
        return name === undefined ? [] : [name];
      };
      return [
        sourceOf(manifests, (entry) => keys(leaseOfEntry.manifest(entry))),
        sourceOf(secrets, (entry) => keys(leaseOfEntry.secret(entry))),
      ];
    };
  }

  stale(): readonly string[] {
    return this.#followed.flatMap((cache) => cache.stale()?.source ?? []);
  }

  /** Of each lease namespace of which there is something. */
  all(): readonly FoundManifest[] {
    const found = new Map<string, FoundManifest>(); // namespace -> what there is of it
    for (const { value } of this.#secrets.all()) {
      const { namespace, leaseId: lease, values } = value;
      found.set(namespace, { namespace, isSecretAlone: true, lease, isOurs: values.has(saltKey) });
    }
    for (const { value } of this.#manifests.all()) {
      const namespace = value.metadata?.name ?? '';
      // Other software has Manifests, too: none of them names a Secret.
      found.set(namespace, { namespace, isSecretAlone: false, lease: leaseOfManifest(value), isOurs: (value.spec?.secret ?? '') !== '' });
    }
    return [...found.values()];
  }

  /** Undefined where there is none. Throws `failed_precondition` of one that cannot be read, `unavailable` while its Secret is not seen. */
  of(namespace: string): StoredManifest | undefined {
    const entry = this.#manifests.get(`${this.#namespace}/${namespace}`);
    if (entry === undefined) return undefined;
    const { spec } = entry.value;
    const secret = this.#secretOf(entry.value);
    if (secret === undefined)
      throw new StatusError(
        'unavailable',
        `Secret ${this.#namespace}/${spec?.secret} of Manifest ${namespace} is not there: its values are not known`,
      );
    const lease = leaseOfManifest(entry.value);
    if (lease === undefined) throw new StatusError('failed_precondition', `Manifest ${this.#namespace}/${namespace} names no lease`);
    try {
      const { group, hash, confirmed } = readManifestObject(entry.value, secret.values);
      return { group, hash, confirmed, lease, salt: secret.values.get(saltKey) ?? '', resourceVersion: entry.resourceVersion };
    } catch (thrown) {
      throw new StatusError('failed_precondition', `Manifest ${this.#namespace}/${namespace} cannot be read: ${messageOf(thrown)}`);
    }
  }

  /** What only whoever can read its Secret knows. Undefined where there is none, or it is not seen. */
  saltOf(namespace: string): Pick<StoredManifest, 'salt'> | undefined {
    const entry = this.#manifests.get(`${this.#namespace}/${namespace}`);
    const salt = entry && this.#secretOf(entry.value)?.values.get(saltKey);
    return salt === undefined ? undefined : { salt };
  }

  /** Whether the server has no other by now: what is followed may be behind. */
  async isNewest(namespace: string, { resourceVersion }: Pick<StoredManifest, 'resourceVersion'>, signal: AbortSignal): Promise<boolean> {
    const found = await this.#reader.find(manifestType, { namespace: this.#namespace, name: namespace }, { signal });
    return found?.metadata?.resourceVersion === resourceVersion;
  }

  /** What people may be shown: without what is secret. Undefined where there is none, or it cannot be read. */
  shown(namespace: string): Pick<StoredManifest, 'group' | 'hash' | 'confirmed'> | undefined {
    const entry = this.#manifests.get(`${this.#namespace}/${namespace}`);
    try {
      return entry && readManifestObject(entry.value, undefined);
    } catch {
      return undefined;
    }
  }

  /** The Manifest is there, and what is secret of it is not: it must come again. */
  hasLostSecret(namespace: string): boolean {
    const entry = this.#manifests.get(`${this.#namespace}/${namespace}`);
    return entry !== undefined && this.#secretOf(entry.value) === undefined;
  }

  /** Makes it what the lease is to run. Repeated after a crash at any point it comes to the same. */
  async put(writer: KubeWriter, accepted: AcceptedManifest, signal: AbortSignal): Promise<void> {
    const { lease, namespace, group, hash, confirmed, scheduler } = accepted;
    const known = await this.#reader.find(manifestType, { namespace: this.#namespace, name: namespace }, { signal });
    const salt = await this.#saltOf(known, signal);
    const secretName = `${namespace}-${createHash('sha256')
      .update(JSON.stringify([hash, this.#sensitiveEnv]))
      .digest('hex')
      .slice(0, 12)}`;
    const made = manifestObject({
      ...{ lease, namespaceName: namespace, manifestNamespace: this.#namespace, group, hash, secretName, confirmed, scheduler },
      sensitiveEnv: this.#sensitiveEnv,
    });
    const { labels, annotations } = made.manifest.metadata ?? {};
    const data = Object.fromEntries(
      Object.entries({ ...made.secrets, [saltKey]: salt }).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    const secret: Secret = {
      metadata: { namespace: this.#namespace, name: secretName, labels, annotations },
      type: 'Opaque',
      immutable: true,
      data,
    };
    const create = async (): Promise<void> =>
      await tolerating(
        'already-exists',
        writer.create(kinds.secrets, secret, { fieldManager, signal }).then((stored) => void this.#secrets.wrote(stored)),
      );
    await create().catch(async (thrown: unknown) => {
      if (!isFailure(thrown, 'not-found')) throw thrown;
      // The first manifest of all: there is no namespace for them yet.
      await tolerating(
        'already-exists',
        writer.create(kinds.namespaces, { metadata: { name: this.#namespace } }, { fieldManager, signal }),
      );
      await create();
    });
    await steps.reached('secret');
    const { resourceVersion, uid } = known?.metadata ?? {};
    const { metadata } = made.manifest;
    if (known === undefined) this.#manifests.wrote(await writer.create(manifestType, made.manifest, { fieldManager, signal }));
    else if (!jsonEqual(known.spec, made.manifest.spec))
      this.#manifests.wrote(
        await writer.replace(manifestType, { ...made.manifest, metadata: { ...metadata, resourceVersion, uid } }, { fieldManager, signal }),
      );
    else this.#manifests.wrote(known);
    await steps.reached('stored');
  }

  /** Deletes Secrets that the Manifest does not name; without a Manifest all of the lease. In the turn of the lease, since a new one is made before it is named. */
  async clean(writer: Pick<KubeWriter, 'delete'>, namespace: string, signal: AbortSignal): Promise<void> {
    const named = (await this.#reader.find(manifestType, { namespace: this.#namespace, name: namespace }, { signal }))?.spec?.secret;
    for (const { key, uid } of this.#secrets.in(namespace)) {
      const name = key.slice(this.#namespace.length + 1);
      if (name === named) continue;
      await writer.delete(kinds.secrets, { namespace: this.#namespace, name }, { preconditions: { uid }, signal });
      this.#secrets.forget(key, uid);
      await steps.reached('cleaned');
    }
  }

  /** Whether there are Secrets that no Manifest names. */
  isUnclean(namespace: string): boolean {
    const named = this.#manifests.get(`${this.#namespace}/${namespace}`)?.value.spec?.secret;
    return this.#secrets.in(namespace).some(({ key }) => key !== `${this.#namespace}/${named}`);
  }

  async remove(writer: Pick<KubeWriter, 'delete'>, namespace: string, signal: AbortSignal): Promise<void> {
    await writer.delete(manifestType, { namespace: this.#namespace, name: namespace }, { signal });
    // Nobody looks at it again: what the watch has not shown by then would stay.
    const labelSelector = `${namespaceLabel}=${namespace}`;
    const { items } = await this.#reader.list(kinds.secrets, { namespace: this.#namespace, labelSelector, signal });
    for (const secret of items) this.#secrets.wrote(secret);
    const key = `${this.#namespace}/${namespace}`;
    this.#manifests.forget(key, this.#manifests.get(key)?.uid ?? '');
    await this.clean(writer, namespace, signal);
  }

  /** One of another lease is as if it were not there: whoever may write Manifests would else have that lease's passwords shown to a pod of their own. */
  #secretOf({ metadata, spec }: Manifest): KeptSecret | undefined {
    const secret = this.#secrets.get(`${this.#namespace}/${spec?.secret ?? ''}`)?.value;
    return secret?.namespace === metadata?.name ? secret : undefined;
  }

  /** One salt for as long as there is a lease: with another, pods would be replaced for nothing. */
  async #saltOf(known: Manifest | undefined, signal: AbortSignal): Promise<string> {
    const name = known?.spec?.secret ?? '';
    const secret = name === '' ? undefined : await this.#reader.find(kinds.secrets, { namespace: this.#namespace, name }, { signal });
    const isOwn = secret?.metadata?.labels?.[namespaceLabel] === known?.metadata?.name;
    const kept = isOwn ? secret?.data?.[saltKey] : undefined;
    return kept === undefined ? Buffer.from(this.#random.fill(new Uint8Array(16))).toString('hex') : Buffer.from(kept, 'base64').toString();
  }
}

/** An earlier try has made it, of the same manifest. */
async function tolerating(kind: KubeFailureKind, write: Promise<unknown>): Promise<void> {
  await write.catch((thrown: unknown) => {
    if (!isFailure(thrown, kind)) throw thrown;
  });
}

function leaseOfManifest({ spec }: Manifest): LeaseId | undefined {
  const { owner, dseq = '', gseq, oseq, provider = '' } = spec?.lease_id ?? {};
  if (owner === undefined || !/^\d{1,20}$/.test(dseq) || gseq === undefined || oseq === undefined) return undefined;
  return { owner, dseq: BigInt(dseq), gseq, oseq, provider };
}
