import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { type Host, HostConditionType, HostState } from '@quartermaster/api/private';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { openTestStore, type TestStore, testHost } from '../../test/test-store.ts';
import { freeHosts, refusalsOf } from './free-hosts.ts';
import { refusalOf } from './host-eligibility.ts';

const need = { hostClass: 'gold', hub: 'h' };
const disputed = [{ type: HostConditionType.DISPUTED, status: ConditionStatus.TRUE }];

/** Every host that there can be, as far as it matters to those who want it. */
function* allHosts(): Generator<Host> {
  let made = 0;
  for (const isGoing of [false, true])
    for (const cluster of ['', 'k'])
      for (const hostPool of ['', 'p'])
        for (const state of [HostState.UNSPECIFIED, HostState.READY, HostState.FAILED, HostState.PROGRESSING])
          for (const hub of ['', need.hub, 'another'])
            for (const conditions of [[], disputed])
              for (const url of ['', 'https://bmc.example.com'])
                for (const bootMac of ['', 'b8:3f:d2:00:00:01']) {
                  made += 1;
                  const host = testHost(`h${made}`, {
                    spec: { class: need.hostClass, bootMac, bmc: { url } },
                    status: { cluster, hostPool, state, hub, conditions },
                  });
                  if (isGoing && host.metadata !== undefined) host.metadata.deletionTimestamp = timestampFromMs(1_700_000_000_000);
                  yield host;
                }
}

describe('the rule of who is free', () => {
  let databases: TestDatabases;
  let store: TestStore;
  const hosts = [...allHosts()];

  beforeAll(async () => {
    databases = await startTestDatabases();
    store = await openTestStore(databases);
    await store.put({ hosts });
  });

  afterAll(async () => {
    await databases.stop();
  });

  it('gives the database as many hosts for each reason as the code', async () => {
    const byCode = Map.groupBy(hosts, (host) => refusalOf(host, need) ?? '');
    byCode.delete('');
    const byDatabase = await refusalsOf(store.database, need, 'nobody', []);
    expect(new Map(byDatabase.map(({ reason, hosts: count }) => [reason, count]))).toEqual(
      new Map([...byCode].map(([reason, { length }]) => [reason, length])),
    );
  });

  it('has the database offer those that the code does not refuse, and no other', async () => {
    const offered = await freeHosts(store.database, need, hosts.length, []);
    const fit = hosts.filter((host) => refusalOf(host, need) === undefined);
    expect(offered.map(({ id }) => id).toSorted()).toEqual(fit.map(({ id }) => id).toSorted());
    expect(fit.length).toBeGreaterThan(0);
    const [first = ''] = fit.map(({ id }) => id);
    const others = await freeHosts(store.database, need, hosts.length, [first]);
    expect(others.map(({ id }) => id)).not.toContain(first);
  });
});
