import { BidState, Bids, Deployments, LeaseState, Leases, OrderState } from '@quartermaster/api/market';
import { codeOf } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sampleSdl } from './sample-sdl.ts';
import { nodes, pace, perNode, type TradedOrder, TradingSite } from './trading-site.ts';
import { watchPromises } from './watch-promises.ts';

export interface Outage {
  readonly of: 'market' | 'provider';
  readonly halt: (site: TradingSite) => Promise<void>;
  readonly resume: (site: TradingSite) => Promise<void>;
}

/** Less than a test may take, so that a failure says what did not come about. */
const patience = { timeout: 45_000, interval: 50 };
const outageMs = 180_000 / pace;
const ofEach = 2;
const large = 'large';
const oneCpu = sampleSdl({ cpu: '1' });

const waits = 'OPEN OPEN - Pending';
const leased = 'ACTIVE ACTIVE ACTIVE Active';
const taken = 'ACTIVE LOST - -';
const lost = 'CLOSED LOST - -';
const over = 'CLOSED CLOSED CLOSED -';
/** Ways in which an order can be at rest: what is bid or leased is reserved, and nothing else is. One that no node has room for has no bid. */
const restsOf = (owner: string): readonly string[] =>
  owner === large ? ['OPEN - - -'] : [waits, leased, taken, lost, over, 'CLOSED - - -', 'ACTIVE - - -'];

/** The name of a state, as the database has it. */
const wordOf = (states: Readonly<Record<string, number>>, value: bigint | null): string =>
  Object.entries(states).find(([, number]) => number === Number(value ?? -1))?.[0] ?? '-';

interface Deployed {
  readonly owner: string;
  readonly id: string;
}

/** Tenants that deploy, accept and close before, during and after an outage, each again and again until it is answered. The tests build on each other. */
export function describeTradingOutage({ of, halt, resume }: Outage): void {
  describe(`trade with the ${of} away for three minutes, the provider's time ${pace} times as fast`, () => {
    let site: TradingSite;
    let rival: ReturnType<TradingSite['rival']>;
    let promises: ReturnType<typeof watchPromises>;
    const tenants = new Map<string, RpcChannel>(); // account -> its connection
    let named = 0;
    const answers = new Map<string, number>(); // what calls of tenants came to -> how often
    const expected: { readonly of: Deployed; readonly rests: readonly string[] }[] = [];

    beforeAll(async () => {
      site = await TradingSite.start();
      rival = site.rival();
      promises = watchPromises(site);
    });

    afterAll(async () => {
      await promises?.stop();
      await site?.stop();
    });

    const as = (account: string): RpcChannel => {
      const channel = tenants.get(account) ?? site.tenant(account);
      tenants.set(account, channel);
      return channel;
    };

    async function insist<T>(call: () => Promise<T>): Promise<T> {
      return await vi.waitFor(async () => {
        const outcome = await call().then(
          (value) => ({ value }),
          (thrown: unknown) => ({ thrown }),
        );
        const code = 'thrown' in outcome ? codeOf(outcome.thrown) : 'ok';
        answers.set(code, (answers.get(code) ?? 0) + 1);
        if ('thrown' in outcome) throw outcome.thrown;
        return outcome.value;
      }, patience);
    }

    /** Nobody who was not answered knows whether it was made: it is looked for before it is made again. */
    async function deploy(owner: string, sdl = oneCpu): Promise<Deployed> {
      const deployments = as(owner).client(Deployments);
      const metadata = { name: `nth-${(named += 1)}` };
      let tries = 0;
      const id = await insist(async () => {
        tries += 1;
        const { items } = tries === 1 ? { items: [] } : await deployments.list({ filter: `this.metadata.name == '${metadata.name}'` });
        return items[0]?.id ?? (await deployments.create({ object: { metadata, spec: { sdl } } })).object?.id ?? '';
      });
      return { owner, id };
    }

    /** Until there is a bid, there is none to be accepted. */
    const accept = ({ owner, id }: Deployed, provider = 'tried') =>
      insist(() =>
        as(owner)
          .client(Bids)
          .accept({ id: `${id}-1-1-${provider}` }),
      );
    const acceptRival = async (deployed: Deployed) => {
      const order = { owner: deployed.owner, dseq: BigInt(deployed.id), gseq: 1, oseq: 1 };
      await insist(() => rival.createBid({ order, price: { denom: 'uakt', amount: '1' } }));
      await accept(deployed, 'rival');
    };
    const close = ({ owner, id }: Deployed) => insist(() => as(owner).client(Deployments).close({ id }));
    const closeLease = ({ owner, id }: Deployed) =>
      insist(() =>
        as(owner)
          .client(Leases)
          .close({ id: `${id}-1-1-tried` }),
      );

    /** Order -> what it, our bid, our lease and the reservation are. */
    async function states(): Promise<ReadonlyMap<string, string>> {
      const reserved = new Map(
        (await site.reservations()).map(({ metadata, status }) => [metadata?.name ?? '', status?.phase ?? 'Attempt']),
      );
      const wordsOf = ({ name, order, bid, lease }: TradedOrder): string =>
        [wordOf(OrderState, order), wordOf(BidState, bid), wordOf(LeaseState, lease), reserved.get(name) ?? '-'].join(' ');
      const found = new Map((await site.orders()).map((order) => [order.name, wordsOf(order)]));
      for (const [name, phase] of reserved) if (!found.has(name)) found.set(name, `of no order: ${phase}`);
      return found;
    }

    async function comeToRest(): Promise<void> {
      await vi.waitFor(async () => {
        const found = await states();
        const restless = [...found].filter(([name, state]) => !restsOf(name.replace(/(-\d+){3}$/, '')).includes(state));
        expect(restless).toEqual([]);
        for (const { of: deployed, rests } of expected) {
          const own = [...found].filter(([name]) => name.startsWith(`${deployed.owner}-${deployed.id}-`)).map(([, state]) => state);
          expect([deployed, own]).toEqual([deployed, rests]);
        }
      }, patience);
      expect(promises.broken).toEqual([]);
    }

    /** A deployment from its first to its last moment, over and over. */
    async function live(account: string, isEnough: () => boolean): Promise<number> {
      for (let lives = 0; ; lives += 1) {
        if (isEnough()) return lives;
        const deployed = await deploy(account);
        await accept(deployed);
        await close(deployed);
      }
    }

    const each = async (work: (nth: number) => Promise<unknown>) =>
      await Promise.all(Array.from({ length: ofEach }, (_, nth) => work(nth)));

    it('loses nothing and does nothing twice', async () => {
      const bidOn: Deployed[][] = [];
      const won: Deployed[][] = [];
      await each(async (nth) => {
        bidOn[nth] = await Promise.all(['waits', 'accepted', 'taken', 'closed'].map((owner) => deploy(owner)));
        won[nth] = await Promise.all(['kept', 'ended', 'over'].map((owner) => deploy(owner)));
        for (const deployed of won[nth]) await accept(deployed);
      });
      await vi.waitFor(async () => {
        const found = [...(await states()).values()].toSorted();
        expect(found).toEqual([...Array<string>(3 * ofEach).fill(leased), ...Array<string>(4 * ofEach).fill(waits)]);
      }, patience);

      let isEnough = false;
      const lives = Promise.all(['busy-1', 'busy-2'].map((account) => live(account, () => isEnough)));
      lives.catch(() => {});
      await vi.waitUntil(
        async () => [...(await states())].filter(([name, state]) => name.startsWith('busy') && state === over).length > 2,
        patience,
      );
      const cutAt = performance.now();
      await halt(site);
      answers.clear();
      const deeds = each(async (nth) => {
        const [open, accepted, lostToRival, closed] = bidOn[nth] as [Deployed, Deployed, Deployed, Deployed];
        const [kept, ended, ending] = won[nth] as [Deployed, Deployed, Deployed];
        const [made, never] = await Promise.all([
          deploy('made'),
          deploy(large, sampleSdl({ cpu: String(perNode + 1) })),
          deploy('brief').then(close),
          accept(accepted),
          acceptRival(lostToRival),
          close(closed),
          closeLease(ended),
          close(ending),
        ]);
        const cases: readonly (readonly [Deployed, ...string[]])[] = [
          [open, waits],
          [accepted, leased],
          [lostToRival, taken],
          [closed, lost],
          [kept, leased],
          // What it was is over, and the group is ordered anew.
          [ended, over, waits],
          [ending, over],
          [made, waits],
          [never, 'OPEN - - -'],
        ];
        for (const [deployed, ...rests] of cases) expected.push({ of: deployed, rests });
      });
      deeds.catch(() => {});
      if (of === 'market') {
        await expect.poll(() => site.problem(), patience).toContain('the market cannot be read');
        // Nobody can say what became of anything: all that is promised stays so.
        const standing = async () =>
          (await site.reservations()).flatMap(({ metadata }) => (metadata?.name?.startsWith('busy') === true ? [] : [metadata?.uid]));
        expect(await standing()).toHaveLength(7 * ofEach);
        const before = await standing();
        await vi.waitUntil(() => performance.now() - cutAt >= outageMs, patience);
        expect(await standing()).toEqual(before);
        expect(answers.get('unavailable')).toBeGreaterThan(20);
      } else {
        await deeds;
        await vi.waitUntil(() => performance.now() - cutAt >= outageMs, patience);
        expect(answers.get('ok')).toBeGreaterThan(8 * ofEach);
      }
      await resume(site);
      await deeds;
      const livesBefore = answers.get('ok') ?? 0;
      await vi.waitUntil(() => (answers.get('ok') ?? 0) > livesBefore + 6, patience);
      isEnough = true;
      for (const count of await lives) expect(count).toBeGreaterThan(0);
      await comeToRest();
      await expect.poll(() => site.problem(), patience).toBe('');
      expect(site.areAllRunning()).toBe(true);
    }, 120_000);

    it('has the room that is left for others, to the last place', async () => {
      const room = nodes.length * perNode - (await site.reservations()).length;
      expect(room).toBeGreaterThan(0);
      await Promise.all(Array.from({ length: room + 2 }, () => deploy('filler')));
      const fillers = async () => [...(await states())].flatMap(([name, state]) => (name.startsWith('filler') ? [state] : [])).toSorted();
      await expect.poll(fillers, patience).toEqual(['OPEN - - -', 'OPEN - - -', ...Array<string>(room).fill(waits)]);
      expect(promises.broken).toEqual([]);
      expect(promises.looks()).toBeGreaterThan(20);
    });
  });
}
