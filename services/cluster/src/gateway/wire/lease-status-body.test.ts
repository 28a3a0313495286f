import { create } from '@bufbuild/protobuf';
import { ServiceStatusResponseSchema } from '@quartermaster/api/akash-provider';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { groupOf, leasePodOf, leaseRecord, leaseServiceOf, leaseSight } from '../../../test/seen-lease.ts';
import type { LeaseHealthReport, ServiceHealth } from '../../health/lease-health.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import { leaseStatusBody, serviceStatusBody, serviceStatusMessage } from './lease-status-body.ts';

const web: ServiceHealth = { service: 'web', count: 3, available: 2, ready: 3, updated: 1, state: 'healthy', problems: [] };
const reportOf = (...services: ServiceHealth[]): LeaseHealthReport => ({ state: services[0]?.state ?? 'healthy', services });
const grant = (hostname: string, state: 'held' | 'withheld') => ({
  ...{ hostname, service: 'web', externalPort: 80, isStatic: false, state, code: '' },
  message: state === 'held' ? '' : `${hostname} is with another lease`,
});
const sightOf = (changed: Partial<LeaseSight> = {}): LeaseSight =>
  leaseSight('amy', 1n, {
    health: reportOf(web),
    manifest: { group: groupOf(leaseServiceOf('web', { count: 3 })), hash: 'a' },
    ...changed,
  });
const recordOf = (changed: Partial<LeaseRecord>) => leaseRecord('amy', 1n, changed);
const errorsOf = (changed: Partial<LeaseSight>) => leaseStatusBody(sightOf(changed), 'p.example').errors;

const reached = sightOf({
  pods: [leasePodOf('a'), leasePodOf('b', { isDeleting: true }), leasePodOf('c', { phase: 'Failed' }), leasePodOf('d', { service: 'db' })],
  hostnames: [grant('a.example', 'held')],
  ports: [
    { service: 'web', port: 22, externalPort: 31_022, protocol: 'TCP' },
    { service: 'web', port: 53, externalPort: 0, protocol: 'UDP' },
    { service: 'web', port: 8080, externalPort: 443, protocol: 'TCP', endpoint: 'front', ip: '192.0.2.7' },
    { service: 'web', port: 8081, externalPort: 444, protocol: 'TCP', endpoint: 'back', ip: '' },
  ],
});
const status = {
  ...{ name: 'web', available: 2, total: 3, uris: ['a.example'], observed_generation: 0, replicas: 1 },
  ...{ updated_replicas: 1, ready_replicas: 3, available_replicas: 2 },
};

describe('the status of a lease', () => {
  it('has its services, the ports that are open and the addresses that were given out', () => {
    expect(leaseStatusBody(reached, 'p.example')).toEqual({
      services: { web: status },
      forwarded_ports: { web: [{ host: 'p.example', port: 22, externalPort: 31_022, proto: 'TCP', name: 'web' }] },
      ips: { web: [{ Port: 8080, ExternalPort: 443, Protocol: 'TCP', IP: '192.0.2.7' }] },
    });
    expect(serviceStatusBody(reached, 'web', '')).toEqual(status);
  });

  it('is the same as a message', () => {
    const { services } = create(ServiceStatusResponseSchema, serviceStatusMessage(reached, new Set(['web']), 'p.example'));
    expect(services).toMatchObject([
      {
        name: 'web',
        status: { available: 2, total: 3, uris: ['a.example'], replicas: 1, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 2 },
        ports: [{ host: 'p.example', port: 22, externalPort: 31_022, proto: 'TCP', name: 'web' }],
        ips: [{ port: 8080, externalPort: 443, protocol: 'TCP', ip: '192.0.2.7' }],
      },
    ]);
    const both = sightOf({ health: reportOf(web, { ...web, service: 'db' }) });
    expect(serviceStatusMessage(both, 'all', '').services).toHaveLength(2);
    expect(serviceStatusMessage(both, new Set(), '').services).toEqual([]);
  });

  it('is of no service that the lease does not have', () => {
    for (const ask of [() => serviceStatusBody(reached, 'db', ''), () => serviceStatusMessage(reached, new Set(['web', 'db']), '')]) {
      let thrown: unknown;
      try {
        ask();
      } catch (caught) {
        thrown = caught;
      }
      expect([codeOf(thrown), messageOf(thrown)]).toEqual([
        'not_found',
        expect.stringContaining('"db" is none of the lease: name one of web'),
      ]);
    }
  });

  it('says what is wrong with a service, and which hostname it does not have', () => {
    const problems = [{ code: 'NotReady', message: 'It is being scheduled.', subject: 'web-1' }];
    const starting = reportOf({ ...web, state: 'starting', problems });
    expect(errorsOf({ health: starting, record: recordOf({ reason: 'Deploying' }), hostnames: [grant('b.example', 'withheld')] })).toEqual([
      'web: It is being scheduled.',
      'web: b.example is with another lease',
    ]);
  });

  it('says that services cannot be seen, with nothing in the place of what they have', () => {
    const unseen = sightOf({ health: undefined, hostnames: [grant('a.example', 'held')] });
    const { services, errors } = leaseStatusBody(unseen, '');
    expect(services['web']).toMatchObject({ available: 0, total: 3, ready_replicas: 0, uris: ['a.example'] });
    expect(errors).toEqual(['the provider cannot see the services of the lease at the moment: ask again']);
  });

  it.each<readonly [string, Partial<LeaseSight>, readonly string[]]>([
    [
      'waits for its manifest',
      {
        ...{ health: undefined, manifest: undefined },
        record: recordOf({ state: 'Pending', deployedAt: undefined, message: 'waiting for the manifest of the deployment' }),
      },
      ['waiting for the manifest of the deployment'],
    ],
    [
      'got a manifest that is refused',
      {
        ...{ health: undefined, manifest: undefined },
        record: recordOf({
          ...{ state: 'Error', deployedAt: undefined, message: 'no' },
          refused: { hash: 'b', reason: '', message: 'no', at: 0 },
        }),
      },
      ['the newest manifest is not deployed: no'],
    ],
    [
      'runs the manifest before one that is refused',
      { record: recordOf({ manifestHash: 'a', refused: { hash: 'b', reason: '', message: 'no', at: 0 } }) },
      ['the newest manifest is not deployed: no'],
    ],
    ['is closed, and runs still', { record: recordOf({ reason: 'Closing', message: 'the market says' }) }, ['the market says']],
    [
      'is over',
      { health: undefined, manifest: undefined, record: recordOf({ state: 'Complete', message: 'the lease is closed' }) },
      ['the lease is closed'],
    ],
    [
      'has something in the way of its objects',
      { record: recordOf({ state: 'Error', reason: 'LeasedIPTaken', message: 'it is taken' }) },
      ['it is taken'],
    ],
  ])('says why a lease %s', (_what, changed, errors) => {
    expect(errorsOf(changed)).toEqual(errors);
  });
});
