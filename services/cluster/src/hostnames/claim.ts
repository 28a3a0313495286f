import { createHash } from 'node:crypto';
import type { HostnameClaim, HostnameClaimSpec } from '@quartermaster/api/hostname-claim';
import { StatusError } from '@quartermaster/kernel';

/** A HostnameClaim, as it was read. */
export interface Claim {
  /** Of the object. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** In A-labels and lower case; of a record of a parent, the parent. */
  readonly hostname: string;
  readonly state: HostnameClaimSpec['state'];
  readonly owner: string;
  readonly lease: string;
  readonly service: string;
  readonly externalPort: number;
  readonly isStatic: boolean;
  /** Wall clock, milliseconds. */
  readonly since: number;
  /** Of one that its last owner claims again: when it was given back. */
  readonly releasedAt?: number | undefined;
  readonly changes: number;
}

/** What is written of one. */
export type ClaimContent = Omit<Claim, 'name' | 'uid' | 'resourceVersion'>;

/** On each claim the hash of its parent domain, by which those below a wildcard are listed. */
const parentLabel = 'quartermaster.dev/parent';

export const nameHash = (hostname: string): string => createHash('sha256').update(hostname).digest('hex').slice(0, 40);

export const isWildcard = (hostname: string): boolean => hostname.startsWith('*.');

/** The domain above: of a wildcard, the one that it is below of. */
export const parentOf = (hostname: string): string => hostname.slice(hostname.indexOf('.') + 1);

export const claimName = (hostname: string): string => `h-${nameHash(hostname)}`;
export const parentName = (parent: string): string => `p-${nameHash(parent)}`;
export const belowSelector = (parent: string): string => `${parentLabel}=${nameHash(parent)}`;

/** With the version that the write is decided upon; without one, it is made. */
export function claimObject(content: ClaimContent, on?: Pick<Claim, 'uid' | 'resourceVersion'>): HostnameClaim {
  const { hostname, state, owner, lease, service, externalPort, isStatic, since, releasedAt, changes } = content;
  const version = on === undefined ? {} : { uid: on.uid, resourceVersion: on.resourceVersion };
  if (state === 'Parent')
    return { metadata: { name: parentName(hostname), ...version }, spec: { hostname, state, owner, since: timeText(since), changes } };
  const labels = { [parentLabel]: nameHash(parentOf(hostname)) };
  const back = releasedAt === undefined ? {} : { releasedAt: timeText(releasedAt) };
  return {
    metadata: { name: claimName(hostname), labels, ...version },
    spec: { hostname, state, owner, lease, service, externalPort, isStatic, since: timeText(since), ...back },
  };
}

/** Throws where the object is not named by what it says, which no writer of ours makes: nobody may have the name until somebody has looked. */
export function readClaim({ metadata, spec }: HostnameClaim): Claim {
  const { name = '', uid = '', resourceVersion = '' } = metadata ?? {};
  const { hostname, state, owner = '', lease = '', service = '', externalPort = 0, isStatic = false, changes = 0 } = spec;
  const since = Date.parse(spec.since);
  if (name !== (state === 'Parent' ? parentName(hostname) : claimName(hostname)) || Number.isNaN(since))
    throw new StatusError('failed_precondition', `HostnameClaim ${name} cannot be read: it is not the claim of "${hostname}"; delete it`);
  const releasedAt = spec.releasedAt === undefined ? undefined : Date.parse(spec.releasedAt);
  return { name, uid, resourceVersion, hostname, state, owner, lease, service, externalPort, isStatic, since, releasedAt, changes };
}

const timeText = (time: number): string => new Date(time).toISOString();
