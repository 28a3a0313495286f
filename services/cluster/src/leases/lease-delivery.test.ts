import { maxServices } from '@quartermaster/api/lease-manifest';
import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import type { DeliveryReport, MarketOutcome } from '../market/market.ts';
import { leaseDelivery } from './lease-delivery.ts';

const service = (name: string) =>
  ({ ...{ service: name, count: 1, available: 1, ready: 1, updated: 1 }, state: 'healthy', problems: [] }) as const;
const hostname = (name: string, state: 'held' | 'withheld' = 'held') => ({
  ...{ hostname: name, service: 'web', externalPort: 80, isStatic: false, code: '', state },
  message: state === 'held' ? '' : `${name} is with another lease`,
});

const sightOf = (changed: Partial<LeaseSight>): LeaseSight => {
  const record = sampleRecord({ state: 'Active', reason: 'Running', message: 'all replicas are available' });
  return {
    ...{ name: record.name, lease: record.lease, record, market: { state: 'active' }, pods: [], claims: [], ports: [], hostnames: [] },
    ...{ addressNotes: [], devices: new Map(), manifest: { group: { name: 'g', services: [] }, hash: 'a' } },
    health: { state: 'healthy', services: [service('web')] } as unknown as LeaseSight['health'],
    ...changed,
  };
};

/** Has the market told of sights, one after another. */
function telling(outcome: MarketOutcome<void>) {
  const reports: DeliveryReport[] = [];
  const warned: unknown[] = [];
  const log: Log = { ...silentLog, warn: (message, facts) => warned.push([message, facts]) };
  let sight: LeaseSight | undefined;
  const market = {
    report: async (_order: unknown, report: DeliveryReport) => {
      reports.push(report);
      return outcome;
    },
  };
  const clock = new FakeClock();
  const reconciler = leaseDelivery(market, { of: () => sight }, '', { log, clock, gateway: () => undefined });
  return {
    reports,
    warned,
    clock,
    tell: async (next: LeaseSight) => {
      sight = next;
      await reconciler.reconcile(next.name, new AbortController().signal);
    },
  };
}

const done: MarketOutcome<void> = { kind: 'done', value: undefined };
const reportOf = async (changed: Partial<LeaseSight>): Promise<DeliveryReport | undefined> => {
  const { reports, tell } = telling(done);
  await tell(sightOf(changed));
  return reports[0];
};

describe('what the market is told of a lease', () => {
  it('is told again only after a while where it is the same, since a market may have been restored', async () => {
    const { reports, tell, clock } = telling(done);
    for (let looks = 0; looks < 3; looks += 1) await tell(sightOf({}));
    expect(reports).toHaveLength(1);
    await clock.advance(600_000);
    await tell(sightOf({}));
    expect(reports).toHaveLength(2);
    const over = sightOf({ record: sampleRecord({ state: 'Complete', reason: 'Closed' }) });
    for (let looks = 0; looks < 2; looks += 1) {
      await tell(over);
      await clock.advance(600_000);
    }
    expect(reports).toHaveLength(3);
  });

  it('says that the cluster refuses an object, and nothing of what the API server or a webhook says of it', async () => {
    const message = 'the API server rejected an object of the lease: admission webhook "x.inside.example" denied the request';
    const report = await reportOf({ record: sampleRecord({ state: 'Error', reason: 'RefusedByCluster', message }) });
    expect(report?.message).toBe('the provider’s cluster rejected an object of the lease: ask the provider why');
    expect(JSON.stringify(report)).not.toContain('inside');
  });

  it('names each port that the cluster has opened on all its nodes', async () => {
    const ports = [{ service: 'web', port: 22, externalPort: 31_022, protocol: 'TCP' }];
    expect((await reportOf({ ports }))?.services[0]?.uris).toEqual(['*:31022']);
  });

  it('names a leased address once it was given out, and nothing in its place before', async () => {
    const address = { service: 'web', port: 80, externalPort: 80, protocol: 'TCP', endpoint: 'my-ip' };
    expect((await reportOf({ ports: [{ ...address, ip: '' }, address] }))?.services[0]?.uris).toEqual([]);
    expect((await reportOf({ ports: [{ ...address, ip: '192.0.2.7' }] }))?.services[0]?.uris).toEqual(['192.0.2.7:80']);
  });

  it('says with the service which hostname it does not have, or of the lease while the service is not seen', async () => {
    const hostnames = [hostname('a.example'), hostname('b.example', 'withheld')];
    expect(await reportOf({ hostnames })).toMatchObject({
      message: 'all replicas are available',
      services: [{ health: 'healthy', uris: ['a.example'], problems: ['b.example is with another lease'] }],
    });
    expect((await reportOf({ hostnames, health: undefined }))?.message).toBe('all replicas are available; b.example is with another lease');
  });

  it('has nothing of what Kubernetes says in words of its own', async () => {
    const problems = [{ code: 'Unschedulable', message: 'It does not fit.', subject: 'web-2', cause: 'n-7 is full' }];
    const report = await reportOf({ health: { state: 'unhealthy', services: [{ ...service('web'), state: 'unhealthy', problems }] } });
    expect(report?.services[0]?.problems).toEqual(['It does not fit.']);
  });

  it('leaves out no service of a lease that has as many as it may have', async () => {
    const services = Array.from({ length: maxServices }, (_, index) => service(`s${index}`));
    const report = await reportOf({ health: { state: 'healthy', services } as unknown as LeaseSight['health'] });
    expect([report?.message, report?.services.length]).toEqual(['all replicas are available', maxServices]);
  });

  it('is no more than the market takes, with how much more there is', async () => {
    const hostnames = Array.from({ length: 130 }, (_, index) => hostname(`h${index}.example`));
    const withheld = Array.from({ length: 30 }, (_, index) => hostname(`w${index}.example`, 'withheld'));
    const services = ['web', ...Array.from({ length: maxServices + 2 }, (_, index) => `s${index}`)].map(service);
    const health = { state: 'healthy', services } as unknown as LeaseSight['health'];
    const report = await reportOf({ health, hostnames: [...hostnames, ...withheld] });
    expect(report?.services).toHaveLength(maxServices);
    expect(report?.message).toBe(`all replicas are available; ${maxServices} services are listed, and 3 more`);
    expect(report?.services[0]?.uris).toHaveLength(100);
    expect(report?.services[0]?.problems).toHaveLength(20);
    expect(report?.services[0]?.problems[0]).toBe('100 addresses are listed, and 30 more');
    expect(report?.services[0]?.problems.at(-1)).toBe('and 12 more');
  });

  it('is not warned of where the lease was closed meanwhile', async () => {
    const refused = telling({ kind: 'refused', reason: { code: 'FailedPrecondition', message: 'it is closed' } });
    await refused.tell(sightOf({}));
    expect([refused.reports.length, refused.warned]).toEqual([1, []]);
  });

  it('is warned of once where the market refuses it, until it takes one again', async () => {
    const refused = telling({ kind: 'refused', reason: { code: 'Refused', message: 'too much' } });
    await refused.tell(sightOf({}));
    await refused.tell(sightOf({}));
    await refused.tell(sightOf({ health: undefined }));
    expect(refused.reports).toHaveLength(2);
    expect(refused.warned).toEqual([['the market refuses what it is told of a lease', { lease: 'amy-7-1-1', error: 'too much' }]]);
  });
});
