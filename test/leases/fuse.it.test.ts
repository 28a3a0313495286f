import { RemovalState } from '@quartermaster/api/removals';
import { reservationType } from '@quartermaster/api/reservation';
import { type TenantLease, tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { times } from '../support/soak.ts';
import { nodeSpec, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { limitMs, MarketLine, pass, patience, runMany, standing, untilAllRun, web } from './outage-sight.ts';
import { type Deployed, RunningLeases } from './running-leases.ts';
import { writtenOf } from './written-objects.ts';

const pace = 5;
/** Longer than the minute in which so many may end. */
const windowMs = 75_000 / pace;
const count = times(20, 100);
/** So many may end within a minute; as a share of all it is the same. */
const few = count / 10;
const many = (count * 3) / 10;

/** Leases that the market says are closed, with the cluster service as a process that is killed. The tests build on each other. */
describe(`the fuse of ${count} leases, of which ${few} may end at once`, { timeout: limitMs }, () => {
  const line = new MarketLine();
  let site: RunningLeases;
  let kept: readonly Deployed[];
  let closed: readonly Deployed[];
  let before: { readonly kept: readonly string[]; readonly closed: readonly string[] };
  let id: string;

  beforeAll(async () => {
    const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)]);
    site = await RunningLeases.start(cluster, { pace, marketThrough: line.through, args: [`--lease-removal-max=${few}`] });
  }, limitMs);

  afterAll(async () => {
    await site?.stop();
    await line.stop();
  });

  /** Those that are closed meanwhile stay what they are at the market, and nothing else of them changes. */
  const objects = (all: readonly string[]) => all.filter((each) => /^(Namespace|Pod) /.test(each));
  const removals = async () => (await site.removals().listRemovals({})).removals;
  const reserved = async () =>
    (await site.cluster.client.list(reservationType)).items.map(({ metadata }) => metadata?.name ?? '').toSorted();
  const complaints = async () => (await site.complaints()).join('\n');
  /** As a person could who repairs its database. */
  const atMarket = (name: string, text: string, ids?: readonly string[]) =>
    site.market.market.database.query({ name: `test-${name}`, text }, ids === undefined ? [] : [ids]);

  it('lets a few go', async () => {
    const all = await runMany(site, count + few);
    const first = all.slice(0, few);
    [closed, kept] = [all.slice(few, few + many), all.slice(few + many)];
    for (const deployed of first) await site.close(deployed);
    for (const deployed of first) await site.untilComplete(deployed);
    expect(await removals()).toEqual([]);
    expect(await standing(site, first)).toEqual(first.map(({ namespace }) => `${namespace} CLOSED`).toSorted());
    before = { kept: await standing(site, kept), closed: objects(await standing(site, closed)) };
    expect([before.kept.length, before.closed.length]).toEqual([3 * kept.length, 2 * many]);
  });

  it('holds all of the many that are reported closed at once, and says so with the command', async () => {
    await atMarket('keep', 'create table active_leases as table leases');
    line.cut();
    await Promise.all(closed.map((deployed) => site.close(deployed)));
    line.mend();
    // One for which the market could not be asked at once comes to them later.
    const held = async () => (await removals()).map(({ state, what, names }) => ({ state, what, names: names.toSorted() }));
    const due = { state: RemovalState.WAITING, what: 'leases that the market says are closed' };
    await expect.poll(held, patience).toEqual([{ ...due, names: closed.map(({ name }) => name).toSorted() }]);
    id = (await removals())[0]?.id ?? '';
    await expect.poll(complaints, patience).toContain(`quartermaster removals approve ${id} --role cluster`);
  });

  it('goes on holding them while others come, for which the market is read again and again', async () => {
    const newcomers = await Promise.all(['new-1', 'new-2', 'new-3'].map((owner) => site.run(owner, web)));
    kept = [...kept, ...newcomers];
    await pass(windowMs);
    expect((await removals()).map((each) => each.id)).toEqual([id]);
    expect(objects(await standing(site, closed))).toEqual(before.closed);
    before = { ...before, kept: await standing(site, kept) };
  });

  it('keeps what is reserved for them, and is not gone around by gc', async () => {
    // What was reserved for the first ones is given back after they are complete.
    await expect.poll(reserved, patience).toEqual([...kept, ...closed].map(({ name }) => name).toSorted());
    expect(await site.collectLeftovers({ dryRun: false })).toEqual([]);
    expect(objects(await standing(site, closed))).toEqual(before.closed);
    expect(await standing(site, kept)).toEqual(before.kept);
    expect(await reserved()).toEqual([...kept, ...closed].map(({ name }) => name).toSorted());
  });

  it.each([
    ['runs', 'Running', () => kept[0]],
    ['it holds', 'Closing', () => closed[0]],
  ])('holds them, and nothing of a lease changes, when the record of one that %s is lost', async (_, reason, which) => {
    const lease = which() as Deployed;
    const record = async () => await site.cluster.client.find(tenantLeaseType, { name: lease.name });
    const rest = async () => writtenOf((await site.objectsOf(lease)).filter(({ kind }) => kind !== 'TenantLease'));
    const [written, { metadata, status }] = [await rest(), (await record()) as TenantLease];
    const { namespaceUid, manifestHash } = status ?? {};
    await site.cluster.client.delete(tenantLeaseType, { name: lease.name });
    await expect.poll(record, patience).toMatchObject({ status: { state: 'Active', reason, namespaceUid, manifestHash } });
    expect((await record())?.metadata?.uid).not.toBe(metadata?.uid);
    expect(await rest()).toEqual(written);
    // What waits is a list of records: with another one on it, a person has to look at it again, and the one before may be listed for a moment more.
    if (closed.includes(lease)) await expect.poll(async () => (await removals())[0]?.id, patience).not.toBe(id);
    const held = async () => (await removals()).map((each) => `${each.state} ${each.names.toSorted().join()}`);
    await expect.poll(held, patience).toEqual([
      `${RemovalState.WAITING} ${closed
        .map(({ name }) => name)
        .toSorted()
        .join()}`,
    ]);
    id = (await removals())[0]?.id ?? '';
    expect(objects(await standing(site, closed))).toEqual(before.closed);
    expect(await standing(site, kept)).toEqual(before.kept);
    expect(await reserved()).toEqual([...kept, ...closed].map(({ name }) => name).toSorted());
  });

  it('goes on holding the few that are left when the market takes back what it said of the others', async () => {
    const [left, back] = [closed.slice(0, few), closed.slice(few)];
    const ids = back.map((deployed) => `${deployed.id}-1-1-farm`);
    await atMarket('forget', 'delete from leases where id = any($1::text[])', ids);
    await atMarket('take-back', 'insert into leases select * from active_leases where id = any($1::text[])', ids);
    const names = async () => (await removals()).map((each) => [each.id, each.names.toSorted()]);
    await expect.poll(names, patience).toEqual([[id, left.map(({ name }) => name).toSorted()]]);
    await untilAllRun(site, back);
    expect(objects(await standing(site, closed))).toEqual(before.closed);
    [closed, kept] = [left, [...kept, ...back]];
    before = { kept: await standing(site, kept), closed: objects(await standing(site, closed)) };
  });

  it('holds the same ones after the process was killed', async () => {
    await site.endService();
    await site.startService();
    await expect.poll(complaints, patience).toContain(`quartermaster removals approve ${id} --role cluster`);
    const newer = await site.run('newer', web);
    await pass(windowMs);
    expect((await removals()).map((each) => [each.id, each.names.length])).toEqual([[id, few]]);
    expect(objects(await standing(site, closed))).toEqual(before.closed);
    kept = [...kept, newer];
    before = { ...before, kept: await standing(site, kept) };
  });

  it('takes away exactly those once a person has approved', async () => {
    await site.removals().approveRemoval({ id });
    for (const deployed of closed) await site.untilComplete(deployed);
    await expect.poll(removals, patience).toEqual([]);
    await expect.poll(complaints, patience).not.toContain('removals');
    expect(objects(await standing(site, closed))).toEqual([]);
    await untilAllRun(site, kept);
    expect(await standing(site, kept)).toEqual(before.kept);
    await expect.poll(reserved, patience).toEqual(kept.map(({ name }) => name).toSorted());
  });
});
