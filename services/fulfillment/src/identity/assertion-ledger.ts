import type { Host } from '@quartermaster/api/private';
import { type Assertion, assertionKey, isSameAssertion, originOf, sameBy } from './assertion.ts';
import { withDispute } from './dispute.ts';
import { type HostMarks, listMarks, marksOf } from './host-marks.ts';
import type { MachineCensus } from './machine-census.ts';

/** What somebody says of one machine, beside the host that they have for it, if they have one. */
export interface Asserter {
  readonly source: string;
  readonly sourceId: string;
  readonly marks: HostMarks;
  /** The host of the asserter for this machine, as it will be. */
  readonly own: Host | undefined;
  /** The host that the source asks for by its id, if any. */
  readonly asked: Host | undefined;
}

/** A host as it is stored and as it is to be. */
export interface Judged {
  readonly before: Host;
  readonly after: Host;
}

/** What is to be written of the assertions. */
export interface AssertionChanges {
  readonly put: readonly Assertion[];
  readonly dropped: readonly Assertion[];
}

/** Assertions as they were read and as they are to be. Pure: what differs is for the caller to write. */
export class AssertionLedger {
  readonly #stored: ReadonlyMap<string, Assertion>; // key -> assertion
  readonly #assertions: Map<string, Assertion>;

  constructor(stored: Iterable<Assertion>) {
    this.#stored = new Map([...stored].map((assertion) => [assertionKey(assertion), assertion]));
    this.#assertions = new Map(this.#stored);
  }

  /**
   * Makes the assertions what follows from what the asserter says now, in both directions: of others' hosts, and of others on its own host. Gives back the hosts whose assertions
   * changed.
   */
  hear(asserter: Asserter, census: MachineCensus): ReadonlySet<string> {
    const { own } = asserter;
    const wanted = new Map(wantedAssertions(asserter, census).map((assertion) => [assertionKey(assertion), assertion]));
    const changed = new Set<string>();
    for (const [key, assertion] of this.#assertions) {
      const isTheirs = (assertion.source === asserter.source && assertion.sourceId === asserter.sourceId) || assertion.byHost === own?.id;
      const isOnOwn = own !== undefined && assertion.hostId === own.id;
      if (wanted.has(key) || !(isTheirs || isOnOwn)) continue;
      // What a source says of the own host without having a host itself stands while the host answers to it.
      if (!isTheirs && assertion.byHost === '' && own !== undefined && sameBy(assertion, own) !== undefined) continue;
      this.#assertions.delete(key);
      changed.add(assertion.hostId);
    }
    for (const [key, assertion] of wanted) {
      const known = this.#assertions.get(key);
      if (known !== undefined && isSameAssertion(known, assertion)) continue;
      this.#assertions.set(key, assertion);
      changed.add(assertion.hostId);
    }
    return changed;
  }

  /** The same for a host that is not itself spoken of, but that others have something in common with. */
  hearHost(host: Host, census: MachineCensus): ReadonlySet<string> {
    return this.hear({ ...originOf(host), marks: marksOf(host.spec), own: host, asked: undefined }, census);
  }

  drop(isDropped: (assertion: Assertion) => boolean): void {
    for (const [key, assertion] of this.#assertions) if (isDropped(assertion)) this.#assertions.delete(key);
  }

  /** The host with the condition that the assertions on it ask for; the same object when it is so already. */
  judge(host: Host, nowMs: number): Host {
    // One that goes away is nobody's to dispute.
    if (host.metadata?.deletionTimestamp !== undefined) return host;
    return withDispute(host, [...this.#assertions.values()], nowMs);
  }

  /** Those of the hosts that are judged otherwise than they say. */
  judgeAll(hosts: readonly Host[], nowMs: number): readonly Judged[] {
    return hosts.map((before) => ({ before, after: this.judge(before, nowMs) })).filter(({ before, after }) => after !== before);
  }

  changes(): AssertionChanges {
    return {
      put: [...this.#assertions].filter(([key, assertion]) => !same(this.#stored.get(key), assertion)).map(([, assertion]) => assertion),
      dropped: [...this.#stored].filter(([key]) => !this.#assertions.has(key)).map(([, assertion]) => assertion),
    };
  }
}

/** Of the asserter on hosts of others and, where it has a host, of theirs on that. */
function wantedAssertions({ source, sourceId, marks, own, asked }: Asserter, census: MachineCensus): readonly Assertion[] {
  if (own === undefined) {
    const marked = new Map(census.withMarks(listMarks(marks)).map(({ host, mark }) => [host.id, mark]));
    if (asked !== undefined && !marked.has(asked.id)) marked.set(asked.id, 'id');
    return [...marked].map(([hostId, mark]) => ({ source, sourceId, hostId, byHost: '', marks, isById: hostId === asked?.id, mark }));
  }
  return census.alikeTo(own).flatMap(({ host, mark }): Assertion[] => [
    { source, sourceId, hostId: host.id, byHost: own.id, marks, isById: false, mark },
    { ...originOf(host), hostId: own.id, byHost: host.id, marks: marksOf(host.spec), isById: false, mark },
  ]);
}

const same = (one: Assertion | undefined, other: Assertion): boolean => one !== undefined && isSameAssertion(one, other);
