import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import { ownerOf } from '../claims/host-claim.ts';
import { commonMark, type HostMarks, marksOf } from '../claims/host-marks.ts';

/** Hosts that may be the one that a source speaks of. */
export interface KnownHosts {
  /** The host that the source brought under this id of its own, unless it is gone. */
  ofSource(sourceId: string): Host | undefined;
  withId(id: string): Host | undefined;
  /** Those that have a mark in common with these. */
  similarTo(marks: HostMarks): readonly Host[];
}

export type Match =
  | { readonly kind: 'new' }
  /** `isTaken` when the source has not had it before. */
  | { readonly kind: 'known'; readonly host: Host; readonly isTaken: boolean }
  | { readonly kind: 'conflict'; readonly id: string; readonly message: string };

export interface MatchOptions {
  readonly source: string;
  readonly mayAdopt: boolean;
  /** Whether a secret that equals the stored one is known to be the same. If not, each one that is sent counts as new. */
  readonly comparesSecrets: boolean;
}

/**
 * Finds the host that the facts are about. The marks are those of the host that the facts would make. A host that belongs to another source, or was created by hand and may
 * not be taken over, is never touched.
 */
export function matchHost(facts: HostFacts, marksOfFacts: () => HostMarks, known: KnownHosts, options: MatchOptions): Match {
  const own = known.ofSource(facts.sourceId);
  if (own !== undefined) return ofOwner(own, facts, 'source id', options, false);
  const named = facts.id === '' ? undefined : known.withId(facts.id);
  if (named !== undefined) return ofOwner(named, facts, 'id', options, true);
  const marks = marksOfFacts();
  // Two hosts of one source are two hosts: it knows best.
  const similar = known.similarTo(marks).filter((host) => ownerOf(host) !== options.source);
  const [host, ...others] = similar;
  if (host === undefined) return { kind: 'new' };
  if (others.length > 0) {
    const ids = similar.map(({ id }) => `"${id}"`).toSorted();
    return {
      kind: 'conflict',
      id: '',
      message: `several hosts may be this machine: ${ids.join(', ')}; delete or change those that are not`,
    };
  }
  return ofOwner(host, facts, commonMark(marks, marksOf(host.spec)) ?? 'a mark', options, true);
}

function ofOwner(host: Host, facts: HostFacts, by: string, { source, mayAdopt }: MatchOptions, isTaken: boolean): Match {
  const conflict = (why: string): Match => ({ kind: 'conflict', id: host.id, message: `host "${host.id}" (same ${by}) ${why}` });
  if (host.metadata?.deletionTimestamp !== undefined) return conflict('is being deleted; apply again when it is gone');
  const owner = ownerOf(host);
  if (owner === source) {
    if (host.status?.source?.id === facts.sourceId) return { kind: 'known', host, isTaken };
    return conflict(`is known to this source as "${host.status?.source?.id ?? ''}"; delete that host if the source has renamed it`);
  }
  if (owner !== '') return conflict(`belongs to source "${owner}"; take it out of one of the two, or delete the host first`);
  if (!mayAdopt) return conflict('was created by hand; delete it, or allow sources to adopt such hosts');
  return { kind: 'known', host, isTaken: true };
}
