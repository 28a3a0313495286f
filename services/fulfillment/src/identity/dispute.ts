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
import { type Assertion, originOf, ownerOf, sameBy } from './assertion.ts';
import { isPlaceText } from './host-marks.ts';

/** What is the matter with a host that others have, too. */
export interface Dispute {
  readonly reason: 'SourceConflict' | 'SameMachine' | 'SamePlace';
  readonly message: string;
}

/** The condition that tells the dispute, if there is one. It repeats what the assertions say: no claim of a host is decided by it alone. */
export function disputeCondition(host: Host | undefined): HostCondition | undefined {
  return host?.status?.conditions.find(({ type }) => type === HostConditionType.DISPUTED);
}

export const isDisputed = ({ status }: Host): boolean =>
  status?.conditions.some((each) => each.type === HostConditionType.DISPUTED && each.status === ConditionStatus.TRUE) ?? false;

/** The host with the condition that these assertions ask for. The same object when it is so already. Other conditions stay. */
export function withDispute(host: Host, assertions: readonly Assertion[], nowMs: number): Host {
  const dispute = disputeOf(host, assertions);
  const known = disputeCondition(host);
  const isKnown = known?.message === dispute?.message && known?.reason === dispute?.reason;
  if (isKnown && !host.status?.conditions.some(isFormer)) return host;
  const result = clone(HostSchema, host);
  const lastTransitionTime = known?.lastTransitionTime ?? timestampFromMs(nowMs);
  const condition = { type: HostConditionType.DISPUTED, status: ConditionStatus.TRUE, lastTransitionTime, ...dispute };
  setCondition(result, dispute === undefined ? undefined : create(HostConditionSchema, condition));
  return result;
}

/** `after` with the condition of `before`, whatever a writer made of it: only the assertions change it. */
export function withKeptDispute(before: Host | undefined, after: Host): Host {
  const [was, is] = [disputeCondition(before), disputeCondition(after)];
  if (was === undefined && is === undefined) return after;
  const result = clone(HostSchema, after);
  setCondition(result, was);
  return result;
}

/** In place. */
function setCondition(host: Host, condition: HostCondition | undefined): void {
  const status = (host.status ??= create(HostStatusSchema));
  const others = status.conditions.filter((each) => each.type !== HostConditionType.DISPUTED && !isFormer(each));
  status.conditions = condition === undefined ? others : [...others, condition];
}

/** The form in which the release before told it. */
const isFormer = ({ type, reason }: HostCondition): boolean => type === HostConditionType.DEGRADED && reason === 'SourceConflict';

/**
 * Whether the assertions on the host are a dispute: more than one source has the machine, or another host is the same machine or in the same place. A source that alone has
 * the host of a person is none: there is one host, and the source is told.
 */
export function disputeOf(host: Host, assertions: readonly Assertion[]): Dispute | undefined {
  const owner = ownerOf(host);
  const own = originOf(host);
  const valid = assertions.flatMap((assertion) => {
    if (assertion.hostId !== host.id || (assertion.source === own.source && assertion.sourceId === own.sourceId)) return [];
    const mark = assertion.mark || sameBy(assertion, host);
    return mark === undefined ? [] : [{ ...assertion, mark }];
  });
  const machines = valid.filter(({ mark }) => !isPlaceText(mark));
  const foreign = machines.filter(({ source }) => source !== '' && source !== owner);
  const sources = new Set([...foreign.map(({ source }) => source), ...(owner === '' ? [] : [owner])]);
  const isContested = sources.size > 1;
  const twins = machines.filter(({ byHost, source }) => byHost !== '' && !(isContested && foreign.some((each) => each.source === source)));
  const neighbours = valid.filter(({ byHost, mark }) => byHost !== '' && isPlaceText(mark));
  const sentences = [
    ...(isContested ? [sourcesText(host, foreign)] : []),
    ...twins.map(({ byHost, mark }) => `Host "${byHost}" is the same machine (same ${mark}).`).toSorted(),
    ...neighbours.map(({ byHost, mark }) => `Host "${byHost}" is in the same place (${mark}).`).toSorted(),
  ];
  if (sentences.length === 0) return undefined;
  const wayOut = isContested ? [] : ['Delete one of them, or correct what is wrong.'];
  return {
    reason: isContested ? 'SourceConflict' : twins.length > 0 ? 'SameMachine' : 'SamePlace',
    message: [...sentences, ...wayOut].join(' '),
  };
}

/** Who has the machine, and by what. */
function sourcesText(host: Host, foreign: readonly Assertion[]): string {
  const owner = ownerOf(host);
  const own = owner === '' ? [] : [`"${owner}" has it as "${host.status?.source?.id ?? ''}"`];
  const others = foreign.map(({ source, sourceId, byHost, mark }) => {
    const as = byHost === '' ? '' : `, host "${byHost}"`;
    return `"${source}" has it as "${sourceId}"${as} (same ${mark})`;
  });
  return `More than one source claims this machine: ${[...own, ...others.toSorted()].join(', ')}. Take it out of all but one, or correct what is wrong there.`;
}
