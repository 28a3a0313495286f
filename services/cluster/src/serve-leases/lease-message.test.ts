import { create, toJson, toJsonString } from '@bufbuild/protobuf';
import { RunningLeaseSchema } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { groupOf, leasePodOf, leaseRecord, leaseServiceOf, leaseSight } from '../../test/seen-lease.ts';
import type { BidDecision } from '../bids/bid-decision.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import { statefulSetName, volumeName } from '../objects/object-names.ts';
import { runningLeaseMessage } from './lease-message.ts';

const Gi = 2 ** 30;
const { lease, name } = leaseSight('amy', 1n);
const decision: BidDecision = { name, order: lease, phase: 'Won', reasons: [], changedAt: 0, price: { denom: 'uakt', amount: '1.5' } };
const web = leaseServiceOf('web', {
  count: 2,
  env: [{ name: 'MODE', value: 'env-value' }],
  credentials: { host: 'h', email: 'mail-value', username: 'user-value', password: 'password-value' },
  resources: { ...leaseServiceOf('web').resources, volumes: [{ name: 'data', bytes: Gi, kind: 'persistent', class: 'beta1' }] },
});
const sight = leaseSight('amy', 1n, {
  decision,
  record: leaseRecord('amy', 1n, {
    manifestHash: 'cafe',
    unhealthySince: 7_000,
    refused: { hash: 'beef', reason: 'ManifestRefused', message: 'a rule', at: 7_500 },
    leftovers: [{ what: 'Service web', message: 'it stays', since: 8_000 }],
  }),
  manifest: { group: groupOf(web, leaseServiceOf('db')), hash: 'cafe' },
  health: {
    state: 'unhealthy',
    services: [
      {
        ...{ service: 'web', count: 2, available: 1, ready: 1, updated: 2, state: 'unhealthy' },
        problems: [
          { code: 'CrashLoop', message: 'It ends.', subject: 'web-1' },
          { code: 'Unschedulable', message: 'It does not fit.', subject: 'web-2', cause: 'n-7 is full' },
        ],
      },
    ],
  },
  pods: [leasePodOf('web-0', { gpus: 2, restarts: 3 }), leasePodOf('db-0', { service: 'db' })],
  devices: new Map([['uid-web-0', ['GPU-1', 'GPU-2']]]),
  claims: [
    { name: 'web-data-web-0', phase: 'Bound', storageClass: 'beta1', bytes: Gi, node: 'n-1' },
    { name: 'foreign', phase: 'Pending', storageClass: '', bytes: 0, node: '' },
  ],
  ports: [
    { service: 'web', port: 22, externalPort: 30_022, protocol: 'TCP' },
    { service: 'web', port: 53, externalPort: 53, protocol: 'UDP', endpoint: 'front', ip: '192.0.2.1' },
    { service: 'db', port: 5432, externalPort: 0, protocol: 'TCP' },
  ],
  hostnames: [
    {
      hostname: 'a.example',
      service: 'web',
      externalPort: 80,
      isStatic: false,
      state: 'withheld',
      message: 'another has it',
      code: 'HostnameWithheld',
    },
  ],
  closesAt: 9_000,
});
const shown = (of: LeaseSight, withDetails: boolean) => create(RunningLeaseSchema, runningLeaseMessage(of, { withDetails }));

describe('the message of a lease', () => {
  it('says all that is seen of it', () => {
    const { phases, ...json } = toJson(RunningLeaseSchema, shown(sight, true)) as Record<string, unknown>;
    expect(phases).toHaveLength(6);
    expect(json).toEqual({
      order: { owner: 'amy', dseq: '1', gseq: 1, oseq: 1 },
      provider: 'akash1provider',
      namespace: 'lease-amy-1-1-1',
      namespaceUid: 'uid-lease-amy-1-1-1',
      state: 'LEASE_RUN_STATE_ACTIVE',
      reason: 'Running',
      message: 'all replicas are available',
      since: '1970-01-01T00:00:06Z',
      health: 'LEASE_HEALTH_UNHEALTHY',
      services: [
        {
          ...{ name: 'web', image: 'registry.example/web:1', count: 2, available: 1, ready: 1, updated: 2 },
          health: 'LEASE_HEALTH_UNHEALTHY',
          problems: [
            { code: 'CrashLoop', message: 'It ends.', subject: 'web-1' },
            { code: 'Unschedulable', message: 'It does not fit. Kubernetes says: n-7 is full', subject: 'web-2' },
          ],
          pods: [
            {
              ...{ name: 'web-0', uid: 'uid-web-0', node: 'n-1', phase: 'Running', ready: true, restarts: 3, gpus: 2 },
              ...{ devices: ['GPU-1', 'GPU-2'], createdAt: '1970-01-01T00:00:01Z' },
            },
          ],
          ports: [{ port: 22, externalPort: 30_022, protocol: 'TCP' }],
          addresses: [{ endpoint: 'front', ip: '192.0.2.1', port: 53, externalPort: 53, protocol: 'UDP' }],
        },
        {
          ...{ name: 'db', image: 'registry.example/db:1', count: 1, health: 'LEASE_HEALTH_UNKNOWN' },
          pods: [{ name: 'db-0', uid: 'uid-db-0', node: 'n-1', phase: 'Running', ready: true, createdAt: '1970-01-01T00:00:01Z' }],
          ports: [{ port: 5432, protocol: 'TCP' }],
        },
      ],
      hostnames: [{ hostname: 'a.example', service: 'web', externalPort: 80, state: 'withheld', message: 'another has it' }],
      volumes: [
        { name: 'web/data', claim: 'web-data-web-0', storageClass: 'beta1', bytes: String(Gi), phase: 'Bound', node: 'n-1' },
        { claim: 'foreign', phase: 'Pending' },
      ],
      manifestHash: 'cafe',
      refused: { code: 'ManifestRefused', message: 'a rule', subject: 'beef', since: '1970-01-01T00:00:07.500Z' },
      leftovers: [{ code: 'NotRemoved', message: 'it stays', subject: 'Service web', since: '1970-01-01T00:00:08Z' }],
      price: { denom: 'uakt', amount: '1.5' },
      marketState: 'active',
      unhealthySince: '1970-01-01T00:00:07Z',
      closesAt: '1970-01-01T00:00:09Z',
    });
  });

  it('is without pods, ports, volumes and hostnames unless they are asked for', () => {
    const message = shown(sight, false);
    expect(message.services).toMatchObject([
      { name: 'web', available: 1, problems: [{ code: 'CrashLoop' }, { code: 'Unschedulable' }], pods: [], ports: [], addresses: [] },
      { name: 'db', pods: [] },
    ]);
    expect([message.volumes, message.hostnames]).toEqual([[], []]);
  });

  it('says which volume a claim is of, also of a service whose name is too long for a StatefulSet', () => {
    const long = `s${'-service'.repeat(7)}`.slice(0, 55);
    const claim = `${volumeName(long, 'data')}-${statefulSetName(long)}-0`;
    const of = leaseSight('amy', 1n, {
      manifest: { group: groupOf({ ...web, name: long }), hash: 'cafe' },
      claims: [{ name: claim, phase: 'Bound', storageClass: 'beta1', bytes: Gi, node: '' }],
    });
    expect(shown(of, true).volumes).toMatchObject([{ claim, name: `${long}/data` }]);
  });

  it('never holds a value of the environment or a credential', () => {
    for (const withDetails of [true, false]) expect(toJsonString(RunningLeaseSchema, shown(sight, withDetails))).not.toMatch(/-value/);
  });
});
