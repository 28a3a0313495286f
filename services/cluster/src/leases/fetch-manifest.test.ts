import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import { FakeClock, limit, StatusError } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { groupOf, leaseRecord, leaseServiceOf } from '../../test/seen-lease.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { ReceivedManifest } from '../market/market.ts';
import type { LeaseId } from '../model/lease.ts';
import { orderName } from '../reservations/order-name.ts';
import { ManifestFetcher } from './fetch-manifest.ts';
import type { LeaseContext } from './lease-context.ts';

/** Leases that run a manifest, of which the market has another one by now that it hands over to nobody, unless changed. */
class World {
  readonly clock = new FakeClock();
  readonly fetched: string[] = [];
  hash = 'b';
  manifestOf: (order: LeaseId) => Promise<ReceivedManifest | undefined> = async () => undefined;
  record: Partial<LeaseRecord> = { manifestHash: 'a' };
  /** What is stored, as people are shown it. */
  shown: { readonly hash: string; readonly group: ManifestGroup } | undefined;
  readonly put: unknown[] = [];
  isPutRefused = false;
  warnings = 0;
  readonly #fetcher = new ManifestFetcher(this.#context());

  async fetch(owner: string, dseq: number): Promise<number | undefined> {
    const record = leaseRecord(owner, BigInt(dseq), this.record);
    return await this.#fetcher.fetch({ name: record.name, lease: record.lease, record, signal: new AbortController().signal });
  }

  forget(owner: string, dseq: number): void {
    this.#fetcher.forget(leaseRecord(owner, BigInt(dseq)).name);
  }

  #context(): LeaseContext {
    return {
      clock: this.clock,
      view: { of: () => ({ lease: { manifestHash: this.hash } }) },
      manifests: {
        ...{ shown: () => this.shown, of: () => this.shown, hasLostSecret: () => false, isUnclean: () => false },
        put: async (_writer: unknown, accepted: object) => {
          if (this.isPutRefused) throw new StatusError('permission_denied', 'a webhook refuses it');
          this.put.push(accepted);
        },
      },
      book: { reservation: () => undefined },
      announce: () => {},
      log: { warn: () => (this.warnings += 1) },
      settings: { objects: { sensitiveEnv: ['*_PIN'] } },
      records: { change: async () => undefined },
      market: {
        manifestOf: async (order: LeaseId) => {
          this.fetched.push(orderName(order));
          return await this.manifestOf(order);
        },
      },
    } as unknown as LeaseContext;
  }
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the fetcher of manifests', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  it('fetches those of others while the market keeps all of one owner waiting', async () => {
    const hanging = Promise.withResolvers<undefined>();
    world.manifestOf = async ({ owner }) => (owner === 'amy' ? await hanging.promise : undefined);
    // As many as the manager of leases has.
    const workers = limit(16);
    const ofAmy = numbers(16).map((dseq) => workers(() => world.fetch('amy', dseq)));
    const ofBob = workers(() => world.fetch('bob', 1));
    await vi.waitFor(() => expect(world.fetched).toContain('bob-1-1-1'));
    expect(await ofBob).toBeUndefined();
    expect(world.fetched).toEqual([...numbers(4).map((dseq) => `amy-${dseq}-1-1`), 'bob-1-1-1']);
    hanging.resolve(undefined);
    // The others come soon, a few at a time.
    const waits = [200, 400, 600].flatMap((wait) => [wait, wait, wait, wait]);
    expect(await Promise.all(ofAmy)).toEqual([...numbers(4).map(() => undefined), ...waits]);
    expect(await world.fetch('amy', 16)).toBeUndefined();
    expect(world.fetched).toHaveLength(6);
  });

  it('waits the longer for an owner the more of its leases wait, up to ten seconds, without those that are over', async () => {
    const hanging = Promise.withResolvers<undefined>();
    world.manifestOf = async () => await hanging.promise;
    const first = numbers(4).map((dseq) => world.fetch('amy', dseq));
    for (const dseq of numbers(300)) await world.fetch('amy', 4 + dseq);
    expect(await world.fetch('amy', 100)).toBe(10_000);
    for (const dseq of numbers(299)) world.forget('amy', 4 + dseq);
    expect(await world.fetch('amy', 304)).toBe(200);
    hanging.resolve(undefined);
    await Promise.all(first);
  });

  it('lets the next fetch when one failed', async () => {
    world.manifestOf = async () => {
      throw new StatusError('unavailable', 'the market does not answer');
    };
    for (const dseq of numbers(9)) await expect(world.fetch('amy', dseq)).rejects.toThrow('does not answer');
    expect(world.fetched).toHaveLength(9);
  });

  it('judges a few of a lease at once, and tells when the next may be', async () => {
    const waits: (number | undefined)[] = [];
    for (const hash of ['b', 'c', 'd', 'e', 'f', 'g']) {
      world.hash = hash;
      waits.push(await world.fetch('amy', 1));
      await world.clock.advance(1_000);
    }
    expect(waits).toEqual([...numbers(5).map(() => undefined), 55_000]);
    await world.clock.advance(54_000);
    expect([await world.fetch('amy', 1), world.fetched.length]).toEqual([undefined, 6]);
  });

  it('judges no more of one owner at once because it has many leases, and as many of others as before', async () => {
    for (const dseq of numbers(40)) await world.fetch('amy', dseq);
    await world.clock.advance(10_000);
    expect(await world.fetch('amy', 41)).toBe(50_000);
    expect(await world.fetch('bob', 1)).toBeUndefined();
    expect(world.fetched).toHaveLength(41);
    await world.clock.advance(50_000);
    expect([await world.fetch('amy', 41), world.fetched.length]).toEqual([undefined, 42]);
  });

  it('lets no lease wait for its first manifest because of others of its owner, and counts those that follow one that was refused', async () => {
    world.record = { manifestHash: undefined };
    for (const dseq of numbers(50)) await world.fetch('amy', dseq);
    expect(world.fetched).toHaveLength(50);
    world.record = { manifestHash: undefined, refused: { hash: 'b', reason: 'ManifestInvalid', message: 'no JSON', at: 1_000 } };
    for (const dseq of numbers(50)) await world.fetch('amy', dseq);
    expect(world.fetched).toHaveLength(90);
  });

  it('stores what is stored already again where a variable of it is to be secret by now and is not, and asks nobody for it', async () => {
    const stored = (value: string) => ({
      ...{ hash: 'b', confirmed: ['db/data'] },
      group: groupOf(leaseServiceOf('web', { env: [{ name: 'card_pin', value }] })),
    });
    // Of what is in the Secret, nothing is shown.
    world.shown = stored('');
    expect([await world.fetch('amy', 1), world.put]).toEqual([undefined, []]);
    world.shown = stored('1234');
    expect(await world.fetch('amy', 1)).toBeUndefined();
    expect(world.put).toEqual([expect.objectContaining({ ...stored('1234'), namespace: 'lease-amy-1-1-1' })]);
    world.isPutRefused = true;
    expect([await world.fetch('amy', 1), world.warnings, world.fetched]).toEqual([undefined, 1, []]);
  });

  it('tells when one that was refused is judged again', async () => {
    world.manifestOf = async () => {
      throw new StatusError('failed_precondition', 'its SDL has no group of that name');
    };
    expect(await world.fetch('amy', 1)).toBe(300_000);
    await world.clock.advance(100_000);
    expect([await world.fetch('amy', 1), world.fetched.length]).toEqual([200_000, 1]);
    world.hash = 'c';
    expect([await world.fetch('amy', 1), world.fetched.length]).toEqual([300_000, 2]);
  });
});
