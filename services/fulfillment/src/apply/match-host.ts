import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import { ownerOf } from '../identity/assertion.ts';
import type { Alike } from '../identity/machine-census.ts';

/** Hosts that may be the one that a source speaks of. */
export interface KnownHosts {
  /** The host that the source brought under this id of its own, unless it is gone. */
  ofSource(sourceId: string): Host | undefined;
  withId(id: string): Host | undefined;
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
 * Finds the host that the facts are about, of those that are the same machine as what the facts would make. A host that belongs to another source, or was created by hand and
 * may not be taken over, is never touched.
 */
export function matchHost(facts: HostFacts, alike: () => readonly Alike[], known: KnownHosts, options: MatchOptions): Match {
  const own = known.ofSource(facts.sourceId);
  if (own !== undefined) return ofOwner(own, facts, 'source id', options, false);
  const named = facts.id === '' ? undefined : known.withId(facts.id);
  if (named !== undefined) return ofOwner(named, facts, 'id', options, true);
  // Two of one source become two hosts, which are told to be one machine: the source does not say which of them is right.
  const similar = alike().filter(({ host }) => ownerOf(host) !== options.source);
  const [first, ...others] = similar;
  if (first === undefined) return { kind: 'new' };
  if (others.length > 0) {
    const ids = similar.map(({ host }) => `"${host.id}"`).toSorted();
    return {
      kind: 'conflict',
      id: '',
      message: `several hosts may be this machine: ${ids.join(', ')}; delete or change those that are not`,
    };
  }
  return ofOwner(first.host, facts, first.mark, options, true);
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
