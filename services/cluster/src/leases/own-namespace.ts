import { createHmac } from 'node:crypto';
import { defineSteps, StatusError } from '@quartermaster/kernel';
import { isFailure, type KubeReader, type KubeWriter, kinds } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { withHash } from '../apply/apply-objects.ts';
import { isUpToDate } from '../apply/live-object.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import { type SeenNamespace, sealAnnotation, secretsAnnotation } from '../known-leases/seen-namespaces.ts';
import { fieldManager } from '../model/field-manager.ts';
import type { DesiredObject } from '../objects/desired.ts';

export type OwnNamespace =
  | { readonly kind: 'ours'; readonly uid: string; readonly seen: SeenNamespace }
  /** It is on its way out: what comes next waits until it is gone. */
  | { readonly kind: 'ending' }
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string };

export interface NamespaceOptions {
  readonly reader: Pick<KubeReader, 'find'>;
  readonly writer: Pick<KubeWriter, 'create' | 'apply'>;
  readonly record: LeaseRecord;
  readonly desired: DesiredObject<Namespace>;
  readonly salt: string;
  /** Told of what was written, before any watch shows it. */
  readonly seen: (namespace: Namespace) => SeenNamespace;
  readonly signal: AbortSignal;
}

const steps = defineSteps('lease-namespace', ['created', 'applied']);

/**
 * Ours by the uid that was recorded; where that was not, or was lost, by its seal. Its name, its labels and what else can be read of the lease, anybody can give to another one;
 * a seal takes the salt of the lease, which stays the same as long as there is a manifest, whatever the settings are. Without a salt nothing is ours that is not recorded.
 */
export function isOurs(
  { live, seal }: Pick<SeenNamespace, 'live' | 'seal'>,
  record: Pick<LeaseRecord, 'uid' | 'namespaceUid'> | undefined,
  stored: Pick<StoredManifest, 'salt'> | undefined,
): boolean {
  if (live.uid === record?.namespaceUid) return true;
  const salt = stored?.salt ?? '';
  return salt !== '' && (seal === sealOf(salt, live.uid) || (record !== undefined && seal === firstSealOf(salt, record)));
}

/** Of this one namespace: a copy of it on another one is worth nothing, also once this one is gone. */
const sealOf = (salt: string, uid: string): string => sealed(salt, ['sealed', uid]);

/** What it is made with, before it has a uid. Of use until the record has its uid: the next one is made with another. */
const firstSealOf = (salt: string, { uid, namespaceUid = '' }: Pick<LeaseRecord, 'uid' | 'namespaceUid'>): string =>
  sealed(salt, ['made', uid, namespaceUid]);

const sealed = (salt: string, parts: readonly string[]): string =>
  createHmac('sha256', salt)
    .update(JSON.stringify(['namespace', ...parts]))
    .digest('hex');

/** The namespace of a lease: made where there is none, kept as it should be, and left alone where it is not ours or says that it is of another lease. */
export async function ownNamespace(seen: SeenNamespace | undefined, options: NamespaceOptions): Promise<OwnNamespace> {
  const { record, desired, salt } = options;
  const found = seen ?? (await makeNamespace(options));
  const { live, lease, isDeleting } = found;
  if (!isOurs(found, record, { salt })) {
    const message = `namespace ${live.name} exists but was not created for this lease, and is ignored: delete it to let the lease continue`;
    return { kind: 'blocked', reason: 'NamespaceTaken', message };
  }
  if (isDeleting) return { kind: 'ending' };
  if (lease === 'tampered' || lease === undefined || !isSameLease(lease, record.lease)) {
    const message = `the labels of namespace ${live.name} name another lease than the one it was created for, and it is ignored: restore its labels to let the lease continue`;
    return { kind: 'blocked', reason: 'NamespaceTampered', message };
  }
  const isAsDesired = isUpToDate(withOrigin(desired, found.secrets, sealOf(salt, live.uid)), live, salt);
  const own = isAsDesired ? found : await recordSecrets(found, found.secrets, options);
  return { kind: 'ours', uid: live.uid, seen: own };
}

/** Applies the namespace with what is recorded of its Secrets. */
export async function recordSecrets({ live }: SeenNamespace, secrets: string, options: NamespaceOptions): Promise<SeenNamespace> {
  const { desired, salt } = options;
  const object = withHash(withOrigin(desired, secrets, sealOf(salt, live.uid)), salt);
  const applied = await options.writer.apply(kinds.namespaces, object, {
    ...{ fieldManager, force: true, signal: options.signal },
    decidedOn: { uid: live.uid, resourceVersion: live.resourceVersion },
  });
  await steps.reached('applied');
  return options.seen(applied);
}

async function makeNamespace(options: NamespaceOptions): Promise<SeenNamespace> {
  const { reader, writer, signal, desired, record, salt } = options;
  const object = withHash(withOrigin(desired, '', firstSealOf(salt, record)), salt);
  try {
    const made = await writer.create(kinds.namespaces, object, { fieldManager, signal });
    await steps.reached('created');
    return options.seen(made);
  } catch (thrown) {
    if (!isFailure(thrown, 'already-exists')) throw thrown;
  }
  const found = await reader.find(kinds.namespaces, { name: object.metadata?.name ?? '' }, { signal });
  if (found === undefined)
    throw new StatusError('aborted', `namespace ${object.metadata?.name} was deleted while it was being created: try again`);
  return options.seen(found);
}

function withOrigin({ type, object }: DesiredObject<Namespace>, secrets: string, seal: string): DesiredObject<Namespace> {
  const { metadata } = object;
  const own = { [sealAnnotation]: seal, ...(secrets === '' ? {} : { [secretsAnnotation]: secrets }) };
  return { type, object: { ...object, metadata: { ...metadata, annotations: { ...metadata?.annotations, ...own } } } };
}

const isSameLease = (a: LeaseRecord['lease'], b: LeaseRecord['lease']): boolean =>
  a.owner === b.owner && a.dseq === b.dseq && a.gseq === b.gseq && a.oseq === b.oseq;
