import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import { defineSteps } from '@quartermaster/kernel';
import { type CacheEntry, kinds, parseKey, type ReadableCache, type ResourceType } from '@quartermaster/kube';
import { removeObject } from '../apply/apply-objects.ts';
import type { LiveObject } from '../apply/live-object.ts';
import type { SeenClaim } from '../health/lease-health.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import type { LeaseContent } from '../objects/desired.ts';
import { type ClaimedVolume, claimedVolume, isClaimOf } from '../objects/object-names.ts';
import { plannedVolume } from '../objects/planned-service.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';

const steps = defineSteps('lost-claims', ['removed']);

type Claims = Pick<ReadableCache<SeenClaim>, 'byIndex'>;

/**
 * Claims of volumes and of replicas that the manifest does not have any more, where their loss was confirmed: a manifest is accepted only so, but somebody may have put back an
 * older one. A name that no StatefulSet makes is nobody's volume, and stays.
 */
export function lostClaims(group: ManifestGroup, confirmed: readonly string[], claims: Claims, namespace: string): readonly LiveObject[] {
  return claimsWhere(claims, namespace, ({ name }) => {
    const of = claimedVolume(group, name);
    if (of === undefined) return /-\d+$/.test(name) && confirmed.some((each) => isClaimOf(name, each));
    return of.ordinal >= of.service.count && confirmed.includes(pathOf(of));
  });
}

/**
 * Claims of another class or size than their template, whose loss was confirmed, of services whose StatefulSet is made anew (`remade`): it would take them up as they are.
 * Those of a set that stays are left alone, whatever was confirmed once: somebody may have made a volume larger.
 */
export function changedClaims(
  content: LeaseContent,
  confirmed: readonly string[],
  claims: Claims,
  remade: ReadonlySet<string>,
): readonly LiveObject[] {
  return claimsWhere(claims, content.namespace, ({ name, storageClass, bytes }) => {
    const of = claimedVolume(content.group, name);
    if (of === undefined || !remade.has(of.service.name) || !confirmed.includes(pathOf(of))) return false;
    return bytes !== of.volume.bytes || storageClass !== plannedVolume(content, of.service, of.volume.name).class;
  });
}

/** Volumes whose loss was confirmed with a manifest, until all of it was done once: what is lost later is not what somebody confirmed then. */
export function unfinishedLosses(
  { hash, confirmed }: Pick<StoredManifest, 'hash' | 'confirmed'>,
  { manifestHash, deployedAt }: Pick<LeaseRecord, 'manifestHash' | 'deployedAt'>,
): readonly string[] {
  return manifestHash === hash && deployedAt !== undefined ? [] : confirmed;
}

/** False where they stay for now. What they hold does not come back: whoever has just begun to lead may not have seen the newest manifest yet, which may have the volume. */
export async function removeClaims(
  { manifests, writer }: Pick<LeaseContext, 'manifests' | 'writer'>,
  { record, signal }: Pick<LeaseAt, 'record' | 'signal'>,
  stored: StoredManifest,
  lost: readonly LiveObject[],
): Promise<boolean> {
  if (lost.length === 0) return true;
  if (!(await manifests.isNewest(record.namespace, stored, signal))) return false;
  for (const claim of lost) {
    await removeObject(claim, { writer, signal });
    await steps.reached('removed');
  }
  return true;
}

/** As confirmations name it. */
const pathOf = ({ service, volume }: ClaimedVolume): string => `${service.name}/${volume.name}`;

function claimsWhere(claims: Claims, namespace: string, isLost: (claim: SeenClaim) => boolean): readonly LiveObject[] {
  const type = kinds.persistentVolumeClaims as ResourceType;
  const live = ({ key, uid, resourceVersion }: CacheEntry<SeenClaim>): LiveObject => ({
    ...{ type, namespace, name: parseKey(key).name, uid, resourceVersion },
    ...{ applied: '', text: '', labels: {} },
  });
  return claims
    .byIndex('namespace', namespace)
    .filter(({ value }) => isLost(value))
    .map(live);
}
