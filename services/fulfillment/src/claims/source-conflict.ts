import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import {
  type Host,
  type HostCondition,
  HostConditionSchema,
  HostConditionType,
  HostSchema,
  HostStatusSchema,
} from '@quartermaster/api/private';
import { claimedBy, type HostClaim, ownerOf } from './host-claim.ts';

/** The reason of a condition DEGRADED that says that more than one source claims the host. */
const conflictReason = 'SourceConflict';

/** The condition that tells the conflict, if there is one. */
export function conflictOf(host: Host): HostCondition | undefined {
  return host.status?.conditions.find(
    ({ type, status, reason }) => type === HostConditionType.DEGRADED && status === ConditionStatus.TRUE && reason === conflictReason,
  );
}

/**
 * The host with the condition that these claims on it ask for: with it while more than one source has the machine, without it otherwise. The same object when it is so
 * already. Claims that the host does not answer to any more do not count.
 */
export function withSourceConflict(host: Host, claims: readonly HostClaim[], nowMs: number): Host {
  const message = conflictText(host, claims);
  const known = conflictOf(host);
  if (known?.message === message) return host;
  const result = clone(HostSchema, host);
  const status = (result.status ??= create(HostStatusSchema));
  // There is one condition of a type: a conflict displaces what else made the host degraded, since it keeps the host from being assigned.
  status.conditions = status.conditions.filter(({ type }) => type !== HostConditionType.DEGRADED);
  if (message === undefined) return result;
  const condition = create(HostConditionSchema, {
    type: HostConditionType.DEGRADED,
    status: ConditionStatus.TRUE,
    lastTransitionTime: known?.lastTransitionTime ?? timestampFromMs(nowMs),
    reason: conflictReason,
    message,
  });
  status.conditions.push(condition);
  return result;
}

/** Who claims the host and by what; undefined when not more than one source does. */
function conflictText(host: Host, claims: readonly HostClaim[]): string | undefined {
  const owner = ownerOf(host);
  const valid = claims.flatMap((claim) => {
    const mark = claim.source === owner ? undefined : claimedBy(claim, host);
    return mark === undefined ? [] : [{ ...claim, mark }];
  });
  const sources = new Set(valid.map(({ source }) => source));
  if (owner !== '') sources.add(owner);
  if (sources.size < 2) return undefined;
  const own = owner === '' ? [] : [`"${owner}" has it as "${host.status?.source?.id ?? ''}"`];
  const others = valid.map(({ source, sourceId, mark }) => `"${source}" has it as "${sourceId}" (same ${mark})`).toSorted();
  return `More than one source claims this machine: ${[...own, ...others].join(', ')}. Take it out of all but one, or correct what is wrong there.`;
}
