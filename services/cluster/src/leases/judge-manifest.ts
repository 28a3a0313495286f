import { createHash } from 'node:crypto';
import {
  type ManifestChanges,
  type ManifestGroup,
  manifestChanges,
  type Permission,
  readManifest,
} from '@quartermaster/api/lease-manifest';
import { messageOf } from '@quartermaster/kernel';
import type { HostnameBook } from '../hostnames/hostname-book.ts';
import { type HostnameTerms, hostnameFaults, wantedHostnames } from '../hostnames/wanted-hostnames.ts';
import { crossValidate } from '../manifest/cross-validate.ts';
import type { ReceivedManifest } from '../market/market.ts';
import type { LeaseId } from '../model/lease.ts';
import { collidingNames } from '../objects/colliding-names.ts';
import { claimedVolume, isClaimOf, volumeOfClaim } from '../objects/object-names.ts';
import type { Request } from '../placement/request.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** What a manifest is judged by. */
export interface ManifestContext {
  readonly lease: LeaseId;
  /** What the market has of the deployment now; undefined where it does not say. */
  readonly expectedHash: string | undefined;
  /** What was ordered. */
  readonly request: Request;
  /** Unit -> endpoints that share a port. */
  readonly httpEndpoints: ReadonlyMap<number, number>;
  /** What runs now. */
  readonly before: ManifestGroup | undefined;
  /** Names of the claims of its volumes, where what runs cannot be read. */
  readonly claims?: readonly string[] | undefined;
  readonly hostnames: Pick<HostnameBook, 'check'>;
  readonly terms: HostnameTerms;
  /** What this provider lets services read. */
  readonly permissions: readonly Permission[];
}

export type ManifestVerdict =
  | { readonly kind: 'accepted'; readonly group: ManifestGroup; readonly hash: string; readonly changes: ManifestChanges }
  | {
      readonly kind: 'refused';
      readonly hash: string;
      readonly reasons: readonly Reason[];
      readonly changes?: ManifestChanges | undefined;
    };

export const noChanges: ManifestChanges = { changes: [], restarted: [], lostVolumes: [] };

function refusedPermissions({ services }: ManifestGroup, granted: readonly Permission[]): readonly Reason[] {
  const allowed = granted.length === 0 ? 'none' : `only ${granted.join(', ')}`;
  return services.flatMap(({ name, permissions }) => {
    const refused = permissions.filter((each) => !granted.includes(each));
    if (refused.length === 0) return [];
    const message = `service ${name} asks in params.permissions.read for ${refused.join(', ')}, and this provider grants ${allowed}: take that out, or choose another provider`;
    return [{ code: 'PermissionRefused', message }];
  });
}

/** Whether a lease may run it, decided as a whole before anything is touched. Pure but for what the book of hostnames says now. */
export function judgeManifest({ json, confirmed }: ReceivedManifest, context: ManifestContext): ManifestVerdict {
  const { lease, expectedHash, request, httpEndpoints, before, claims = [], hostnames, terms, permissions } = context;
  const hash = createHash('sha256').update(json).digest('hex');
  const refused = (...reasons: Reason[]): ManifestVerdict => ({ kind: 'refused', hash, reasons });
  let groups: readonly ManifestGroup[];
  try {
    groups = readManifest(json);
  } catch (thrown) {
    return refused({ code: 'ManifestInvalid', message: messageOf(thrown) });
  }
  if (expectedHash !== undefined && expectedHash !== hash) {
    const message = `the manifest is not that of the deployment: its SHA-256 is ${hash}, and the market has ${expectedHash}; send the manifest of the SDL that was deployed last`;
    return refused({ code: 'ManifestHashMismatch', message });
  }
  // The groups of a manifest are numbered as those of its deployment; one that is sent alone is the lease's.
  const group = groups[groups.length === 1 && expectedHash === undefined ? 0 : lease.gseq - 1];
  if (group === undefined) {
    return refused({
      code: 'GroupMissing',
      message: `the manifest has ${groups.length} groups, and the lease is of the group with number ${lease.gseq}`,
    });
  }
  // What nobody can read may have had any volume.
  const isConfirmed = (claim: string): boolean => confirmed.some((each) => isClaimOf(claim, each));
  const lostClaims = claims.filter((claim) => claimedVolume(group, claim) === undefined && !isConfirmed(claim));
  const lostVolumes = [...new Set(lostClaims.map((claim) => volumeOfClaim(claim) ?? claim))];
  const changes = before === undefined ? { ...noChanges, lostVolumes } : manifestChanges(before, group);
  const ofOrder = [...crossValidate(group, request, httpEndpoints), ...collidingNames(group)];
  const reasons = [
    ...ofOrder,
    ...refusedPermissions(group, permissions),
    ...hostnameFaults(group, terms),
    ...lossReasons(changes, confirmed),
  ];
  const grants = hostnames.check(lease, wantedHostnames(lease, group, terms));
  for (const { state, code, message } of grants) if (state === 'refused') reasons.push({ code, message });
  return reasons.length > 0 ? { kind: 'refused', hash, reasons, changes } : { kind: 'accepted', group, hash, changes };
}

function lossReasons({ lostVolumes }: ManifestChanges, confirmed: readonly string[]): readonly Reason[] {
  const unconfirmed = lostVolumes.filter((volume) => !confirmed.includes(volume));
  if (unconfirmed.length === 0) return [];
  // Of what had a long name only its claim is known.
  const example = unconfirmed.find((each) => each.includes('/')) ?? 'SERVICE/VOLUME, as the earlier SDL names them';
  const message = `the data of ${unconfirmed.join(', ')} would be lost: confirm each with confirm=${example}, or keep the volume`;
  return [{ code: 'DataLossUnconfirmed', message }];
}
