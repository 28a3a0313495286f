import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import { RoleFuse } from '@quartermaster/runtime/host';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import type { SeenOrder } from '../bids/next-step.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { MarketLease } from '../market/market.ts';
import type { LeaseContext } from './lease-context.ts';
import { countedSight } from './lease-deadline.ts';
import { letEndsThrough } from './let-ends-through.ts';

type FuseState = Awaited<ReturnType<RoleFuse['read']>>;

const total = 20;
const nameOf = (dseq: number): string => `amy-${dseq}-1-1`;
const leaseOf = (dseq: number) => ({ owner: 'amy', dseq: BigInt(dseq), gseq: 1, oseq: 1, provider: 'farm' });
const numbers = Array.from({ length: total }, (_, index) => index + 1);

/** What outlives the leader. */
interface Standing {
  readonly records: Map<string, LeaseRecord>;
  readonly fuses: Map<string, FuseState>;
}

const recordOf = (dseq: number): LeaseRecord =>
  sampleRecord({
    ...{ name: nameOf(dseq), uid: `uid-${dseq}`, lease: leaseOf(dseq), namespace: `lease-${nameOf(dseq)}` },
    ...{ state: 'Active', reason: 'Running', manifestHash: 'a', wonAt: 0 },
  });

function standing(changed: (dseq: number) => Partial<LeaseRecord> = () => ({})): Standing {
  return { records: new Map(numbers.map((dseq) => [nameOf(dseq), { ...recordOf(dseq), ...changed(dseq) }])), fuses: new Map() };
}

/** So many are a share of which more may end at once. */
function grow({ records }: Standing): void {
  for (let dseq = total + 1; dseq <= 4 * total; dseq += 1) records.set(nameOf(dseq), recordOf(dseq));
}

/** Records of leases that are over, which stay for a while. They are many, and none of them runs. */
function addEnded({ records }: Standing, around: World): void {
  for (let dseq = 1_001; dseq <= 1_100; dseq += 1) {
    records.set(nameOf(dseq), { ...recordOf(dseq), state: 'Complete', closingAt: 0, completeAt: 0 });
    around.closed.add(nameOf(dseq));
    around.listed.add(nameOf(dseq));
  }
}

/** The market and the cluster, as the test has them. */
interface World {
  readonly closed: Set<string>;
  readonly unknown: Set<string>;
  isMarketAway: boolean;
  isBlind: boolean;
  readonly askedToClose: string[];
  /** What happens while a lease is being ended. */
  meanwhile?: () => void;
  /** What the market has of deployments. */
  manifestHash?: string;
  /** Closed ones that its list has, so that it need not be asked. */
  readonly listed: Set<string>;
  /** It was not read yet in this term. */
  isUnread: boolean;
  /** It answers no question, and its list is read all the same. */
  isMute: boolean;
  isRecordsStale: boolean;
  /** It refuses to close what it is asked to. */
  isRefusing: boolean;
  /** It closes what it is asked to, and its answers are lost. */
  losesAnswers: boolean;
  asks: number;
}

const world = (): World => ({
  ...{ closed: new Set(), unknown: new Set(), listed: new Set(), askedToClose: [], asks: 0 },
  ...{ isMarketAway: false, isBlind: false, isUnread: false, isMute: false, isRecordsStale: false, isRefusing: false, losesAnswers: false },
});

/** A leader for one term, that lets three leases end within a minute. */
function lead(clock: FakeClock, { records, fuses }: Standing, around: World) {
  const ending = new AbortController();
  const asked = new Map<string, 'closed' | 'unknown'>(); // as the view keeps it, until the market is read again
  const lease = (name: string, state: MarketLease['state']) =>
    ({ state, reason: 'it is over', order: records.get(name)?.lease, manifestHash: around.manifestHash }) as unknown as MarketLease;
  const problem = { code: 'MarketUnknown', message: 'away' };
  const isActive = (name: string): boolean => !around.closed.has(name) && !around.unknown.has(name);
  const isClosed = (name: string): boolean => asked.get(name) === 'closed' || around.listed.has(name);
  const view = {
    of: (name: string): SeenOrder => {
      const found = isActive(name) ? lease(name, 'active') : isClosed(name) ? lease(name, 'closed') : undefined;
      return { state: 'unknown', isAsked: asked.has(name), lease: found };
    },
    ask: async ({ dseq }: { readonly dseq: bigint }) => {
      around.asks += 1;
      if (around.isMarketAway || around.isMute) throw new StatusError('unavailable', 'the market is away');
      await new Promise((resolve) => setImmediate(resolve));
      asked.set(nameOf(Number(dseq)), around.closed.has(nameOf(Number(dseq))) ? 'closed' : 'unknown');
    },
    answered: () => {},
    get problem() {
      return around.isMarketAway ? problem : undefined;
    },
    status: () => ({ readAt: around.isUnread ? undefined : 1 }),
  };
  const stale = () => (around.isBlind ? ['pods of leases'] : []);
  const context = {
    records: {
      all: () => [...records.values()],
      of: (name: string) => records.get(name),
      problem: () => (around.isRecordsStale ? 'not followed' : undefined),
      change: async (_: unknown, name: string, change: (before: LeaseRecord) => LeaseRecord) => {
        records.set(name, change(records.get(name) ?? sampleRecord()));
        around.meanwhile?.();
      },
    },
    ...{ view, clock, log: silentLog, writer: {} },
    caches: { stale },
    nodes: { stale: () => [] },
    namespaces: { stale: () => [] },
    book: { reservation: () => ({}) },
    settings: { deadlines: { manifestTimeoutMs: 10_000, unhealthyTimeoutMs: 30_000 } },
    market: {
      closeLease: async ({ dseq }: { readonly dseq: bigint }) => {
        around.askedToClose.push(nameOf(Number(dseq)));
        around.meanwhile?.();
        if (around.isRefusing) return { kind: 'refused', reason: { code: 'No', message: 'no' } };
        around.closed.add(nameOf(Number(dseq)));
        if (around.losesAnswers) return { kind: 'unknown', reason: { code: 'MarketUnknown', message: 'no answer' } };
        return { kind: 'done', value: lease(nameOf(Number(dseq)), 'closed') };
      },
    },
  } as unknown as LeaseContext;
  const fuse = (name: string): RoleFuse => {
    const read = async (): Promise<FuseState> => fuses.get(name) ?? { removals: [] };
    const store = {
      read,
      change: async (change: (state: FuseState) => FuseState) => {
        const changed = change(await read());
        fuses.set(name, changed);
        return changed;
      },
    };
    const options = { name, what: name, windowMs: 60_000, maxRemovals: 3, maxShare: 0.1, untilApproved: true };
    return new RoleFuse(store, options, { clock, log: silentLog });
  };
  const [ends, closings] = [fuse('leases'), fuse('lease-closings')];
  const term = { writer: {}, signal: ending.signal } as unknown as Parameters<typeof letEndsThrough>[2];
  void letEndsThrough(context, { ends, closings }, term, { clock, seen: countedSight(context, clock) });
  return {
    ends,
    closings,
    /** What was asked for is forgotten. */
    readMarket: () => asked.clear(),
    stop: async () => {
      ending.abort();
      await clock.advance(1_000);
    },
  };
}

const closing = ({ records }: Standing): readonly string[] =>
  [...records.values()].filter(({ closingAt }) => closingAt !== undefined).map(({ name }) => name);
const first = (count: number): readonly string[] => numbers.slice(0, count).map(nameOf);

describe('leases that have ended here and are active at the market again', () => {
  it('are closed there, once it has said so for a while: nobody pays for what was removed', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const closingAt = clock.now();
    const ended = { state: 'Complete', closingAt, completeAt: closingAt } as const;
    const own = standing((dseq) => (dseq === 2 ? ended : dseq === 3 ? { closingAt } : {}));
    const leader = lead(clock, own, around);
    await clock.advance(4_000);
    expect(around.askedToClose).toEqual([]);
    await clock.advance(3_000);
    expect(around.askedToClose.toSorted()).toEqual([nameOf(2), nameOf(3)]);
    expect([...around.closed].toSorted()).toEqual([nameOf(2), nameOf(3)]);
    await leader.stop();
  });

  it('wait for a person where they are many', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const closingAt = clock.now();
    const own = standing((dseq) => (dseq <= 6 ? { state: 'Complete', closingAt, completeAt: closingAt } : {}));
    const leader = lead(clock, own, around);
    await clock.advance(20_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([[], 6]);
    await leader.stop();
  });
});

describe('leases that the market says are closed', () => {
  it('go at once where they are few', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(3)) around.closed.add(name);
    await clock.advance(1_000);
    expect(closing(own)).toEqual(first(3));
    await leader.stop();
  });

  it('all wait where they are many, however often the market is read, and an approval covers what was shown', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    const id = leader.ends.waiting?.id ?? '';
    for (let reads = 0; reads < 10; reads += 1) {
      leader.readMarket();
      await clock.advance(1_000);
    }
    expect([closing(own), leader.ends.waiting?.id, leader.ends.waiting?.objects.length]).toEqual([[], id, 6]);
    around.closed.add(nameOf(9));
    await clock.advance(1_000);
    await expect(leader.ends.approve(id, 'a person')).rejects.toThrow('replaced');
    await leader.ends.approve(leader.ends.waiting?.id ?? '', 'a person');
    await clock.advance(1_000);
    expect(closing(own)).toEqual([...first(6), nameOf(9)]);
    await leader.stop();
  });

  it('wait where they are many of those that run, however many records of ended ones stand beside them', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    addEnded(own, around);
    const before = closing(own);
    const leader = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(2_000);
    expect([closing(own), leader.ends.waiting?.objects.length]).toEqual([before, 6]);
    await leader.stop();
  });

  it.each([
    ['alone where they are many of one owner: what others close goes', 5, [nameOf(17)], 6],
    ['with what others close where they are of most owners', 1, [], 7],
  ])('wait %s', async (_, others, ended, waiting) => {
    const [clock, around] = [new FakeClock(), world()];
    const own = standing((dseq) => (dseq > 15 ? { lease: { ...leaseOf(dseq), owner: `bob-${dseq % others}` } } : {}));
    const leader = lead(clock, own, around);
    for (const name of [...first(6), nameOf(17)]) around.closed.add(name);
    await clock.advance(1_000);
    expect([closing(own), leader.ends.waiting?.objects.length]).toEqual([ended, waiting]);
    await leader.stop();
  });

  it('wait on after a restart, also while the market is away', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const before = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    const { id } = before.ends.waiting ?? { id: '' };
    await before.stop();
    around.isMarketAway = true;
    const after = lead(clock, own, around);
    await clock.advance(5_000);
    expect([closing(own), own.fuses.get('leases')?.waiting?.id]).toEqual([[], id]);
    around.isMarketAway = false;
    await clock.advance(5_000);
    expect([closing(own), after.ends.waiting?.id]).toEqual([[], id]);
    await after.ends.approve(id, 'a person');
    await clock.advance(1_000);
    expect(closing(own)).toEqual(first(6));
    await after.stop();
  });

  it('wait no more once the market says that they are active, and go on however many others come', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    expect(leader.ends.waiting?.objects.length).toBe(6);
    around.closed.clear();
    grow(own);
    await clock.advance(1_000);
    expect([closing(own), leader.ends.waiting]).toEqual([[], undefined]);
    await leader.stop();
  });

  it('wait for a person although fewer of them are left, and although others came beside which they are few', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    const { id } = leader.ends.waiting ?? { id: '' };
    grow(own);
    for (const name of first(4)) around.closed.delete(name);
    await clock.advance(61_000);
    expect([closing(own), leader.ends.waiting?.id, leader.ends.waiting?.objects.length]).toEqual([[], id, 2]);
    await leader.ends.approve(id, 'a person');
    await clock.advance(1_000);
    expect(closing(own)).toEqual([nameOf(5), nameOf(6)]);
    await leader.stop();
  });

  it('do not end when the market takes it back at the last moment', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    around.meanwhile = () => around.closed.clear();
    for (const name of first(3)) around.closed.add(name);
    await clock.advance(1_000);
    expect(closing(own)).toEqual(first(1));
    await leader.stop();
  });

  it('are not those that it does not know', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(2)) around.unknown.add(name);
    await clock.advance(5_000);
    expect([closing(own), leader.ends.waiting, around.askedToClose]).toEqual([[], undefined, []]);
    await leader.stop();
  });

  it('are not judged by a part of them, where the market answers for none of the others', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    for (const name of first(6)) around.closed.add(name);
    for (const name of first(2)) around.listed.add(name);
    around.isMute = true;
    const leader = lead(clock, own, around);
    await clock.advance(5_000);
    expect([closing(own), leader.ends.waiting]).toEqual([[], undefined]);
    around.isMute = false;
    await clock.advance(1_000);
    expect([closing(own), leader.ends.waiting?.objects.length]).toEqual([[], 6]);
    await leader.stop();
  });

  it('are not asked for before the market was read: nobody knows which its list lacks', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    around.closed.add(nameOf(1));
    around.isUnread = true;
    const leader = lead(clock, own, around);
    await clock.advance(5_000);
    expect([around.asks, closing(own)]).toEqual([0, []]);
    around.isUnread = false;
    await clock.advance(1_000);
    expect([around.asks, closing(own)]).toEqual([1, first(1)]);
    await leader.stop();
  });

  it('count once: what ends already holds up nothing that ends later', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const leader = lead(clock, own, around);
    for (const name of first(3)) around.closed.add(name);
    await clock.advance(61_000);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    expect([closing(own), leader.ends.waiting]).toEqual([first(6), undefined]);
    await leader.stop();
  });

  it('wait no more where a new leader finds them active', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const before = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    await before.stop();
    around.closed.clear();
    const after = lead(clock, own, around);
    await clock.advance(1_000);
    expect([closing(own), own.fuses.get('leases')?.waiting]).toEqual([[], undefined]);
    await after.stop();
  });

  it('wait for a person, however few are left, while a new leader has not read all records yet', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const before = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    for (const name of first(4)) around.closed.delete(name);
    await clock.advance(1_000);
    await before.stop();
    const after = await leadUnread(clock, own, around, 0);
    expect([closing(own), after.ends.waiting?.objects.length]).toEqual([[], 2]);
    await after.stop();
  });

  it('are judged together although records come one page after another', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    for (const name of first(6)) around.closed.add(name);
    const leader = await leadUnread(clock, own, around, 3);
    expect([closing(own), leader.ends.waiting?.objects.length]).toEqual([[], 6]);
    await leader.stop();
  });

  it('end by no approval that was given before the market took them back', async () => {
    const [clock, own, around] = [new FakeClock(), standing(), world()];
    const before = lead(clock, own, around);
    for (const name of first(6)) around.closed.add(name);
    await clock.advance(1_000);
    const id = before.ends.waiting?.id ?? '';
    await before.stop();
    await before.ends.approve(id, 'a person');
    // Of the first nobody knows at once, so that the approval stands for a while.
    for (const name of first(6)) around.closed.delete(name);
    around.unknown.add(nameOf(1));
    const after = lead(clock, own, around);
    await clock.advance(5_000);
    around.unknown.clear();
    await clock.advance(5_000);
    expect(own.fuses.get('leases')?.approval).toBeUndefined();
    for (const name of first(6)) around.closed.add(name);
    after.readMarket();
    await clock.advance(2_000);
    expect([closing(own), after.ends.waiting?.objects.length]).toEqual([[], 6]);
    await after.stop();
  });
});

/** A leader that has read the first `count` records for a while, and then all. */
async function leadUnread(clock: FakeClock, own: Standing, around: World, count: number) {
  const all = [...own.records];
  for (const [name] of all.slice(count)) own.records.delete(name);
  around.isRecordsStale = true;
  const leader = lead(clock, own, around);
  await clock.advance(1_000);
  for (const [name, record] of all.slice(count)) own.records.set(name, record);
  around.isRecordsStale = false;
  await clock.advance(2_000);
  return leader;
}

describe('leases that exceeded a deadline', () => {
  const sickFrom = (clock: FakeClock, isSick: (dseq: number) => boolean, apartMs = 0) => {
    const since = (dseq: number): number => clock.now() + dseq * apartMs;
    return standing((dseq) =>
      isSick(dseq) ? { reason: 'Unhealthy', message: 'The image cannot be pulled.', unhealthySince: since(dseq) } : {},
    );
  };

  it('are closed at the market with the reason', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 2);
    const leader = lead(clock, own, around);
    await clock.advance(29_000);
    expect(around.askedToClose).toEqual([]);
    await clock.advance(7_000);
    expect(around.askedToClose).toEqual(first(2));
    await leader.stop();
  });

  it('all wait for a person where many broke within seconds', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6, 700);
    const leader = lead(clock, own, around);
    await clock.advance(50_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([[], 6]);
    await leader.closings.approve(leader.closings.waiting?.id ?? '', 'a person');
    await clock.advance(1_000);
    expect(around.askedToClose.toSorted()).toEqual(first(6));
    await leader.stop();
  });

  it('wait where they are many of those that run, however many records of ended ones stand beside them', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6);
    addEnded(own, around);
    const leader = lead(clock, own, around);
    await clock.advance(50_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([[], 6]);
    await leader.stop();
  });

  it('are not those that could not be seen for so long: the time counts from when they are', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq === 1);
    around.isBlind = true;
    const leader = lead(clock, own, around);
    await clock.advance(60_000);
    around.isBlind = false;
    await clock.advance(29_000);
    expect(around.askedToClose).toEqual([]);
    await leader.stop();
    // Nobody looked meanwhile.
    await clock.advance(100_000);
    const next = lead(clock, own, around);
    await clock.advance(29_000);
    expect(around.askedToClose).toEqual([]);
    await clock.advance(7_000);
    expect(around.askedToClose).toEqual(first(1));
    await next.stop();
  });

  it('wait no more where a new leader finds them well again', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6);
    const before = lead(clock, own, around);
    await clock.advance(50_000);
    expect(before.closings.waiting?.objects.length).toBe(6);
    await before.stop();
    for (const [name, record] of own.records) own.records.set(name, { ...record, reason: 'Running', unhealthySince: undefined });
    const after = lead(clock, own, around);
    await clock.advance(1_000);
    expect([around.askedToClose, own.fuses.get('lease-closings')?.waiting]).toEqual([[], undefined]);
    await after.stop();
  });

  it('are not those whose manifest could not come, since the market was away', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = standing((dseq) =>
      dseq === 1 ? { state: 'Pending', reason: 'ManifestMissing', manifestHash: undefined, wonAt: clock.now() } : {},
    );
    around.isMarketAway = true;
    const leader = lead(clock, own, around);
    await clock.advance(20_000);
    around.isMarketAway = false;
    await clock.advance(9_000);
    expect(around.askedToClose).toEqual([]);
    await clock.advance(7_000);
    expect(around.askedToClose).toEqual(first(1));
    await leader.stop();
  });

  it('are not those whose manifest the market has, and that was not refused', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const refused = { hash: 'a', reason: 'ManifestInvalid', message: 'not a manifest', at: 0 };
    const waiting = { state: 'Pending', reason: 'ManifestMissing', manifestHash: undefined, wonAt: clock.now() } as const;
    const own = standing((dseq) => (dseq === 1 ? waiting : dseq === 2 ? { ...waiting, refused } : {}));
    around.manifestHash = 'a';
    const leader = lead(clock, own, around);
    await clock.advance(60_000);
    expect(around.askedToClose).toEqual([nameOf(2)]);
    await leader.stop();
  });

  it('are not those whose time is over only because the wall clock jumped', async () => {
    for (const what of ['manifest', 'health'] as const) {
      const [clock, around] = [new FakeClock(), world()];
      const waiting = () => ({ state: 'Pending', reason: 'ManifestMissing', manifestHash: undefined, wonAt: clock.now() }) as const;
      const own = what === 'manifest' ? standing((dseq) => (dseq === 1 ? waiting() : {})) : sickFrom(clock, (dseq) => dseq === 1);
      const leader = lead(clock, own, around);
      await clock.advance(1_000);
      clock.skewWall(3_600_000);
      await clock.advance(9_000);
      expect(around.askedToClose).toEqual([]);
      await clock.advance(27_000);
      expect(around.askedToClose).toEqual(first(1));
      await leader.stop();
    }
  });

  it('are not those of which records are not followed, nor those whose market was not read', async () => {
    for (const away of ['isRecordsStale', 'isUnread'] as const) {
      const [clock, around] = [new FakeClock(), world()];
      const waiting = { state: 'Pending', reason: 'ManifestMissing', manifestHash: undefined, wonAt: clock.now() } as const;
      const own = away === 'isUnread' ? standing((dseq) => (dseq === 1 ? waiting : {})) : sickFrom(clock, (dseq) => dseq === 1);
      around[away] = true;
      const leader = lead(clock, own, around);
      await clock.advance(60_000);
      around[away] = false;
      await clock.advance(away === 'isUnread' ? 9_000 : 29_000);
      expect(around.askedToClose).toEqual([]);
      await clock.advance(7_000);
      expect(around.askedToClose).toEqual(first(1));
      await leader.stop();
    }
  });

  it('are not closed while the market is away, nor where it does not know them', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 2);
    around.unknown.add(nameOf(2));
    around.isMarketAway = true;
    const leader = lead(clock, own, around);
    await clock.advance(60_000);
    expect(around.askedToClose).toEqual([]);
    around.isMarketAway = false;
    await clock.advance(1_000);
    expect(around.askedToClose).toEqual(first(1));
    await leader.stop();
  });

  it('wait on as they were shown, where a new leader finds them still sick', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6);
    const before = lead(clock, own, around);
    await clock.advance(50_000);
    const { id } = before.closings.waiting ?? { id: '' };
    await before.stop();
    const after = lead(clock, own, around);
    for (const ms of [1_000, 60_000]) {
      await clock.advance(ms);
      const waiting = own.fuses.get('lease-closings')?.waiting;
      expect([around.askedToClose, waiting?.id, waiting?.objects.length]).toEqual([[], id, 6]);
    }
    await after.stop();
  });

  it('are not those that are well again by the time that it is their turn', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 2);
    around.meanwhile = () => {
      const record = own.records.get(nameOf(2));
      if (record !== undefined) own.records.set(nameOf(2), { ...record, reason: 'Running', unhealthySince: undefined });
    };
    const leader = lead(clock, own, around);
    await clock.advance(40_000);
    expect(around.askedToClose).toEqual(first(1));
    await leader.stop();
  });

  it('count together with those that the market refuses to close, and wait for a person once they are many', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6);
    for (const dseq of [4, 5, 6]) {
      const record = own.records.get(nameOf(dseq));
      if (record !== undefined) own.records.set(nameOf(dseq), { ...record, unhealthySince: clock.now() + 10_000 });
    }
    around.isRefusing = true;
    const leader = lead(clock, own, around);
    await clock.advance(40_000);
    expect(around.askedToClose).toEqual(first(3));
    await clock.advance(20_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([first(3), 6]);
    around.isRefusing = false;
    await clock.advance(600_000);
    expect(around.askedToClose).toEqual(first(3));
    await leader.stop();
  });

  it('are judged together also while the market refuses one that a person has approved', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 6);
    around.isRefusing = true;
    const leader = lead(clock, own, around);
    await clock.advance(40_000);
    await leader.closings.approve(leader.closings.waiting?.id ?? '', 'a person');
    await clock.advance(1_000);
    expect(around.askedToClose).toEqual(first(6));
    for (const dseq of [11, 12, 13, 14, 15, 16]) {
      const unhealthySince = clock.now() - 30_000 + (dseq - 11) * 700;
      own.records.set(nameOf(dseq), { ...recordOf(dseq), reason: 'Unhealthy', message: 'gone', unhealthySince });
    }
    await clock.advance(20_000);
    expect(around.askedToClose).toEqual(first(6));
    expect(leader.closings.waiting?.objects.map(({ name }) => name)).toEqual([11, 12, 13, 14, 15, 16].map(nameOf));
    await leader.stop();
  });

  it('are asked for again, twice a minute, where the market refuses, and count for nothing', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 3);
    around.isRefusing = true;
    const leader = lead(clock, own, around);
    await clock.advance(40_000);
    expect(around.askedToClose).toEqual(first(3));
    await clock.advance(60_000);
    expect(around.askedToClose.length).toBe(9);
    around.isRefusing = false;
    around.askedToClose.length = 0;
    await clock.advance(31_000);
    expect([around.askedToClose, leader.closings.waiting]).toEqual([first(3), undefined]);
    await leader.stop();
  });

  it('count as closed where the market does not answer', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = sickFrom(clock, (dseq) => dseq <= 4, 5_500);
    around.losesAnswers = true;
    const leader = lead(clock, own, around);
    await clock.advance(62_000);
    expect([around.askedToClose.slice(0, 3), around.askedToClose.includes(nameOf(4))]).toEqual([first(3), false]);
    await leader.stop();
  });

  it('take no turn of others while the market refuses them and the many of one owner wait', async () => {
    const [clock, around] = [new FakeClock(), world()];
    const own = standing((dseq) => ({
      ...(dseq > 6 && { lease: { ...leaseOf(dseq), owner: `bob-${dseq}` } }),
      ...(dseq <= 10 && { reason: 'Unhealthy', message: 'gone', unhealthySince: clock.now() + (dseq === 10 ? 8_000 : 0) }),
    }));
    around.isRefusing = true;
    const leader = lead(clock, own, around);
    await clock.advance(37_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([[7, 8, 9].map(nameOf), 6]);
    await clock.advance(8_000);
    expect([around.askedToClose, leader.closings.waiting?.objects.length]).toEqual([[7, 8, 9, 10].map(nameOf), 6]);
    await leader.stop();
  });
});
