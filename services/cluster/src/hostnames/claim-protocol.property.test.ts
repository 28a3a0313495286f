import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { StatusError } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaimServer, ShownClaims } from '../../test/claim-server.ts';
import { everyWay, Interleaving } from '../../test/interleaving.ts';
import type { LeaseId } from '../model/lease.ts';
import { claimObject } from './claim.ts';
import { ClaimStore } from './claim-store.ts';
import type { HostnameGrant, WantedHostname } from './hostname-book.ts';
import { hostnameRules } from './hostname-rules.ts';

const coolDownMs = 600_000;
const never = new AbortController().signal;
const rules = hostnameRules({ blocked: [], ingressDomain: '', publicHostname: '' });

const lease = (owner: string, dseq = 1): LeaseId => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1, provider: 'p' });
const want = (hostname: string, service = 'web'): WantedHostname => ({ hostname, service, externalPort: 80, isStatic: false });

/** A process that leads, as far as it knows. Its copy shows nothing but what was there when it began, and what it wrote itself. */
function leader(server: ClaimServer, gate: Interleaving['gate'], clock: { now: () => number }) {
  const client = server.client(gate);
  const shown = new ShownClaims(server);
  shown.show();
  const store = new ClaimStore({ reader: client, caches: shown.caches, rules, coolDownMs, namesPerOwner: 500, clock });
  return store.claimsBy(client);
}

/** As a controller does: again, until it is answered. After a failure it may be another process. */
async function persistently<T>(
  make: () => ReturnType<typeof leader>,
  isKept: () => boolean,
  work: (claims: ReturnType<typeof leader>) => Promise<T>,
): Promise<T> {
  let claims = make();
  for (;;) {
    try {
      return await work(claims);
    } catch (thrown) {
      if ((thrown as { details?: { kind?: string } }).details?.kind !== 'connection') throw thrown;
      if (!isKept()) claims = make();
    }
  }
}

interface Contest {
  readonly owner: string;
  readonly dseq?: number;
  readonly hostname: string;
}

const recordOf = (parent: string, owner: string) =>
  claimObject({
    ...{ hostname: parent, state: 'Parent', owner, lease: '', service: '', externalPort: 0 },
    ...{ isStatic: false, since: 0, changes: 0 },
  });

async function contest(
  choose: (options: number) => number,
  contenders: readonly Contest[],
  { losses = 0, server = new ClaimServer() }: { readonly losses?: number; readonly server?: ClaimServer } = {},
) {
  const clock = { now: () => 0 };
  const interleaving = new Interleaving(choose, losses);
  const grants: HostnameGrant[] = [];
  const work = contenders.map(({ owner, dseq, hostname }, index) => async () => {
    const [grant] = await persistently(
      () => leader(server, interleaving.gate, clock),
      () => choose(2) === 0,
      (claims) => claims.reserve(lease(owner, dseq), [want(hostname)], never),
    );
    if (grant !== undefined) grants[index] = grant;
  });
  await interleaving.run(work);
  return { server, grants: grants.map(({ state }) => state) };
}

describe('two that claim at once', () => {
  it('give a name to one of them, in every order of their requests', async () => {
    const outcomes = new Set<string>();
    const ways = await everyWay(async (choose) => {
      const { server, grants } = await contest(choose, [
        { owner: 'alice', hostname: 'www.example.com' },
        { owner: 'bob', hostname: 'www.example.com' },
      ]);
      outcomes.add(grants.join());
      expect(server.claims().filter(({ state }) => state === 'Held')).toHaveLength(1);
    });
    expect(ways).toBeGreaterThan(25);
    expect([...outcomes].toSorted()).toEqual(['held,refused', 'held,waiting', 'refused,held', 'waiting,held']);
  });

  it.each([
    ['nothing is there', undefined],
    ['the record of the parent names nobody', ''],
    ['the record of the parent still names the owner of the wildcard', 'alice'],
  ])('give a wildcard and a name below it to one of two owners, in every order of their requests, where %s', async (_where, recorded) => {
    const contenders = [
      { owner: 'alice', hostname: '*.example.com' },
      { owner: 'bob', hostname: 'www.example.com' },
    ];
    const outcomes = new Set<string>();
    const ways = await everyWay(async (choose) => {
      const server = new ClaimServer();
      if (recorded !== undefined) await server.client().create(hostnameClaimType, recordOf('example.com', recorded));
      const first = await contest(choose, contenders, { server });
      outcomes.add(first.grants.join());
      // Both never; and since one of them stays where it is, never neither for good.
      const { grants } = first.grants.includes('held') ? first : await contest(choose, contenders, { server });
      expect(grants.filter((state) => state === 'held')).toHaveLength(1);
    });
    expect(ways).toBeGreaterThan(50);
    expect(outcomes).toContain('held,refused');
    expect(outcomes).toContain('refused,held');
    // Each has found the other at work: the case in which both could give way.
    if (recorded === 'alice') expect(outcomes).toContain('waiting,waiting');
  });

  it('both get a wildcard and a name below it when they are of one owner', async () => {
    await everyWay(async (choose) => {
      const { grants } = await contest(choose, [
        { owner: 'alice', hostname: '*.example.com' },
        { owner: 'alice', dseq: 2, hostname: 'www.example.com' },
      ]);
      expect(grants).toEqual(['held', 'held']);
    });
  });
});

describe('three of which some are cut off', () => {
  it('give a wildcard and names below it to one owner, wherever they are cut off, and whenever what they sent arrives', async () => {
    const contenders = [
      { owner: 'alice', hostname: '*.example.com' },
      { owner: 'bob', hostname: 'www.example.com' },
      { owner: 'carol', hostname: '*.example.com' },
    ];
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 4 }), async (stream, losses) => {
        const { grants } = await contest((options) => (stream.next().value ?? 0) % options, contenders, { losses });
        expect(grants.filter((state) => state === 'held').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});

type Step =
  | { readonly kind: 'reserve' | 'transfer'; readonly lease: LeaseId; readonly hostname: string }
  | { readonly kind: 'release'; readonly lease: LeaseId }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'wait'; readonly ms: number };

const anyLease = fc.tuple(fc.constantFrom('alice', 'bob'), fc.integer({ min: 1, max: 2 })).map(([owner, dseq]) => lease(owner, dseq));
const anyName = fc.constantFrom('*.example.com', 'www.example.com', 'api.example.com');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('reserve' as const), lease: anyLease, hostname: anyName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transfer' as const), lease: anyLease, hostname: anyName }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), lease: anyLease }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'sweep' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(61_000, 601_000) }) },
);

describe('many that claim, release, transfer and sweep at once', () => {
  it('never have a name of another owner, whatever is lost, late or repeated, and leave nothing behind', async () => {
    const histories = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 3 });
    const choices = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(histories, choices, fc.nat({ max: 4 }), async (scripts, stream, losses) => {
        const server = new ClaimServer();
        let now = 0;
        const clock = { now: () => now };
        const choose = (options: number): number => (stream.next().value ?? 0) % options;
        const interleaving = new Interleaving(choose, losses);
        const make = () => leader(server, interleaving.gate, clock);
        const work = scripts.map((steps) => async () => {
          for (const step of steps) {
            if (step.kind === 'wait') now += step.ms;
            else
              await persistently(
                make,
                () => choose(2) === 0,
                (claims) => play(claims, step),
              );
          }
        });
        await interleaving.run(work);
        await leavesNothing(server, () => (now += 601_000));
      }),
      { numRuns: 400 },
    );
  });
});

async function play(claims: ReturnType<typeof leader>, step: Exclude<Step, { kind: 'wait' }>): Promise<void> {
  if (step.kind === 'sweep') return await claims.sweep(never);
  if (step.kind === 'release') return await claims.release(step.lease, [], never);
  if (step.kind === 'reserve') return void (await claims.reserve(step.lease, [want(step.hostname)], never));
  await claims.transfer(step.lease, want(step.hostname), never).catch((thrown: unknown) => {
    if (!(thrown instanceof StatusError) || thrown.details !== undefined) throw thrown;
  });
}

async function leavesNothing(server: ClaimServer, wait: () => number): Promise<void> {
  const now = wait();
  const client = server.client();
  const clock = { now: () => now };
  const fresh = () =>
    new ClaimStore({ reader: client, caches: new ShownClaims(server).caches, rules, coolDownMs: 0, namesPerOwner: 500, clock }).claimsBy(
      client,
    );
  for (const owner of ['alice', 'bob']) for (const dseq of [1, 2]) await fresh().release(lease(owner, dseq), [], never);
  await fresh().sweep(never);
  wait();
  await new ClaimStore({
    reader: client,
    caches: new ShownClaims(server).caches,
    rules,
    coolDownMs: 0,
    namesPerOwner: 500,
    clock: { now: wait },
  })
    .claimsBy(client)
    .sweep(never);
  expect(server.claims()).toEqual([]);
}
