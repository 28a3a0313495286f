import { randomUUID } from 'node:crypto';
import { type HostnameClaim, hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { contractsFolder } from '@quartermaster/api/manifests';
import { ClaimStore, hostnameRules, type WantedHostname } from '@quartermaster/cluster/testing';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { cacheOpener, type KubeObject, type KubeWriter, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience, refusedFields } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { dyingWriter } from './dying-writer.ts';

type Writer = Pick<KubeWriter, 'create' | 'replace' | 'delete'>;

const never = new AbortController().signal;
const rules = hostnameRules({ blocked: [], ingressDomain: '', publicHostname: '' });
const lease = (owner: string, dseq = 1) => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1, provider: 'p' });
const want = (hostname: string, service = 'web'): WantedHostname => ({ hostname, service, externalPort: 80, isStatic: false });
/** A domain that no other test has. */
const domain = (): string => `${randomUUID().slice(0, 8)}.example.com`;

interface Opened {
  readonly coolDownMs?: number;
  readonly writer?: Writer;
  readonly clock?: Pick<Clock, 'now'>;
}

/** That claims of hostnames are decided by an API server as the protocol needs it. */
export function describeHostnameClaims(server: () => ContractServer): void {
  describe('claims of hostnames', () => {
    const stores: ClaimStore[] = [];

    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['hostname-claim']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(hostnameClaimType, { limit: 1 }), patience);
    });

    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.stop()));
    });

    /** A process that takes itself for the leader. */
    const open = ({ coolDownMs = 600_000, writer = server().client, clock = systemClock }: Opened = {}) => {
      const { client } = server();
      const store = new ClaimStore({ reader: client, caches: cacheOpener(client), rules, coolDownMs, namesPerOwner: 500, clock });
      stores.push(store);
      return { store, claims: store.claimsBy(writer) };
    };
    const claimsOf = async (parent: string): Promise<readonly HostnameClaim['spec'][]> => {
      const { items } = await server().client.list(hostnameClaimType);
      return items.map(({ spec }) => spec).filter(({ hostname }) => hostname.endsWith(parent));
    };
    const heldOf = async (parent: string): Promise<readonly HostnameClaim['spec'][]> =>
      (await claimsOf(parent)).filter(({ state }) => state === 'Held');

    it('give a name to one of twenty that ask at once, each a process of its own', async () => {
      const parent = domain();
      const hostname = `www.${parent}`;
      const owners = Array.from({ length: 20 }, (_, index) => `owner${index}`);
      const asked = await Promise.all(owners.map((owner) => open().claims.reserve(lease(owner), [want(hostname)], never)));
      const winners = asked.flatMap(([grant], index) => (grant?.state === 'held' ? [owners[index]] : []));
      expect(winners).toHaveLength(1);
      expect((await heldOf(parent)).map(({ owner }) => owner)).toEqual(winners);
    });

    it('give a domain to its wildcard or to the names below it, not to owners of both', async () => {
      for (let round = 0; round < 3; round += 1) {
        const parent = domain();
        const others = Array.from({ length: 5 }, (_, index) => [`owner${index}`, `n${index}.${parent}`] as const);
        const contenders = [['alice', `*.${parent}`] as const, ...others, ['alice', `mine.${parent}`] as const];
        await Promise.all(
          contenders.map(([owner, hostname], index) => open().claims.reserve(lease(owner, index), [want(hostname)], never)),
        );
        // Whoever lost hears so, or gets it, at the latest when it asks again.
        const [again] = await open().claims.reserve(lease('alice', 0), [want(`*.${parent}`)], never);
        const held = await heldOf(parent);
        const haveOthers = held.some(({ owner }) => owner !== 'alice');
        expect(again?.code).toBe(haveOthers ? 'HostnameTaken' : 'HostnameHeld');
        expect(held.some(({ hostname }) => hostname.startsWith('*.'))).toBe(!haveOthers);
        expect(held.length).toBeGreaterThan(0);
      }
    });

    it('let all names below a parent be claimed at once by one process', async () => {
      const parent = domain();
      const { claims, store } = open();
      const names = Array.from({ length: 20 }, (_, index) => `n${index}.${parent}`);
      const asked = await Promise.all(names.map((hostname, index) => claims.reserve(lease(`owner${index}`), [want(hostname)], never)));
      expect(asked.map(([grant]) => grant?.state)).toEqual(names.map(() => 'held'));
      await vi.waitFor(() => expect(store.problem()).toBeUndefined(), patience);
      // What was read at first may be from before the claims.
      await expect.poll(() => store.check(lease('bob'), [want(`*.${parent}`)])[0]?.state, patience).toBe('refused');
    });

    it('are finished by the next process after one that died in any of its writes', async () => {
      for (const name of ['*', 'www'])
        for (let writes = 0; writes <= 3; writes += 1) {
          const parent = domain();
          const hostname = `${name}.${parent}`;
          const dying = open({ writer: dyingWriter(server().client, writes) });
          await dying.claims.reserve(lease('alice'), [want(hostname)], never).catch(() => undefined);
          expect((await open().claims.reserve(lease('alice'), [want(hostname)], never))[0]?.state).toBe('held');
          expect((await heldOf(parent)).map(({ hostname: held }) => held)).toEqual([hostname]);
        }
    });

    it('move between leases of an owner in one write, and with a process that dies in it to one of them', async () => {
      for (let writes = 0; writes <= 2; writes += 1) {
        const parent = domain();
        const wanted = want(`www.${parent}`);
        await open().claims.reserve(lease('alice'), [wanted], never);
        const dying = open({ writer: dyingWriter(server().client, writes) });
        await dying.claims.transfer(lease('alice', 2), wanted, never).catch(() => undefined);
        expect(await heldOf(parent)).toEqual([
          expect.objectContaining({ owner: 'alice', lease: writes === 0 ? 'alice-1-1-1' : 'alice-2-1-1' }),
        ]);
        await expect(open().claims.transfer(lease('bob'), wanted, never)).rejects.toMatchObject({ code: 'failed_precondition' });
        const moved = await open().claims.transfer(lease('alice', 2), wanted, never);
        expect([moved.lease, (await heldOf(parent)).length]).toEqual(['alice-2-1-1', 1]);
      }
    });

    it('are kept for their owner, and then gone with the record of their parent', async () => {
      const parent = domain();
      const wanted = [want(`*.${parent}`), want(`www.${parent}`)];
      await open().claims.reserve(lease('alice'), wanted, never);
      await open().claims.release(lease('alice'), [], never);
      expect((await open().claims.reserve(lease('bob'), wanted, never)).map(({ code }) => code)).toEqual([
        'HostnameCoolingDown',
        'HostnameCoolingDown',
      ]);
      expect((await open({ coolDownMs: 0 }).claims.reserve(lease('bob'), wanted, never)).map(({ state }) => state)).toEqual([
        'held',
        'held',
      ]);
      const { claims } = open({ coolDownMs: 0 });
      await claims.release(lease('bob'), [], never);
      await claims.sweep(never);
      expect((await claimsOf(parent)).map(({ state }) => state)).toEqual(['Parent']);
      // The record stays while somebody may be at work below it.
      const later = open({ coolDownMs: 0, clock: { now: () => systemClock.now() + 60_000 } });
      await later.claims.sweep(never);
      expect(await claimsOf(parent)).toEqual([]);
    });

    it('are objects whose name cannot be changed', async () => {
      const parent = domain();
      await open().claims.reserve(lease('alice'), [want(`www.${parent}`)], never);
      const { items } = await server().client.list(hostnameClaimType);
      const [claim] = items.filter(({ spec }) => spec.hostname === `www.${parent}`);
      if (claim === undefined) throw new Error('there is no claim');
      const change = server().client.replace(hostnameClaimType, { ...claim, spec: { ...claim.spec, hostname: 'other.example.com' } });
      expect(await refusedFields(change)).toEqual(['spec.hostname']);
    });
  });
}
