import { LeaseService } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import { type Authenticate, openRpcChannel, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { order } from '../../test/filled-book.ts';
import { leaseRecord, leaseSight } from '../../test/seen-lease.ts';
import type { ShellRecord } from '../gateway/journal/shell-record.ts';
import type { ClaimedName } from '../hostnames/hostname-book.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import type { LeaseActions } from '../leases/lease-action-types.ts';
import { orderName } from '../reservations/order-name.ts';
import { LeaderLine, type SeenLeader } from '../serve/leader-line.ts';
import { leaseService } from './lease-service.ts';

const named: Authenticate = ({ token }) => ({ kind: 'token', name: token ?? '', groups: [] });
const amy = order('amy', 1n);
const claimed = (hostname: string, changed: Partial<ClaimedName> = {}): ClaimedName => ({
  ...{ hostname, service: 'web', externalPort: 80, isStatic: false, owner: 'amy', lease: 'amy-1-1-1', state: 'Held', since: 1_000 },
  ...changed,
});

const shell = (name: string, owner: string, changed: Partial<ShellRecord> = {}): ShellRecord => ({
  ...{ name, uid: `uid-${name}`, lease: { ...order(owner, 1n), provider: 'akash1provider' }, proof: 'certificate', fingerprint: 'cafe' },
  ...{ address: '192.0.2.7', service: 'web', pod: 'web-0', replica: 'r-1', openedAt: 1_000, outcome: '', ...changed },
});
const shells = [shell('1', 'amy', { closedAt: 3_000, outcome: '137' }), shell('3', 'amy'), shell('2', 'bob')];

describe('the lease service', () => {
  const ends: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function replica(name: string, leader: () => SeenLeader, { isLeader = true } = {}) {
    const sights = new Map<string, LeaseSight>([leaseSight('amy', 1n), leaseSight('bob', 2n)].map((sight) => [sight.name, sight]));
    const asked: unknown[] = [];
    const actions: LeaseActions = {
      submitManifest: async (of, manifest) => {
        asked.push(['submit', of, manifest]);
        sights.set(orderName(of), leaseSight(of.owner, of.dseq, { record: leaseRecord(of.owner, of.dseq, { manifestHash: 'new' }) }));
      },
      previewManifest: async (of, json) => {
        asked.push(['preview', of, json]);
        const changes = [{ service: 'web', code: 'Image', message: 'another image' }];
        return {
          changes: { changes, restarted: ['web'], lostVolumes: ['db/data'] },
          refusals: [{ code: 'VolumeLost', message: 'confirm db/data' }],
        };
      },
      closeLease: async (of, reason) => {
        asked.push(['close', of, reason]);
        if (of.owner === 'cid') throw new StatusError('not_found', 'the market has no such lease');
      },
      transferHostname: async (of, wanted) => {
        asked.push(['transfer', of, wanted]);
        return claimed(wanted.hostname, { lease: orderName(of), service: wanted.service });
      },
      transferAddress: async (of, wanted) => {
        asked.push(['address', of, wanted]);
        return '192.0.2.7';
      },
      collectLeftovers: async (options) => {
        asked.push(['collect', options]);
        return [{ object: 'Namespace lease-x', lease: '', reason: 'NoLease', fate: 'removable', message: 'nobody knows it' }];
      },
    };
    const role: { isLeader: boolean; trouble?: StatusError } = { isLeader };
    const connect = (address: string) => openRpcChannel({ address, tries: 1 });
    const line = new LeaderLine({ replica: name, leader, tls: async () => ({}), connect });
    ends.push(() => line.close());
    const service = leaseService({
      sights: {
        of: (each) => sights.get(each),
        all: () => [...sights.values()],
        strangers: () => [{ namespace: 'lease-odd', code: 'LabelsTampered', message: 'its labels are of another lease' }],
        stale: () => ['pods'],
      },
      hostnames: {
        all: () => [claimed('b.example'), claimed('a.example', { state: 'Released', lease: '' }), claimed('c.example', { owner: 'bob' })],
      },
      shells: { all: () => shells, of: (each) => shells.filter(({ lease }) => orderName(lease) === each) },
      coolDownMs: 60_000,
      actions: () => {
        if (role.trouble !== undefined) throw role.trouble;
        return role.isLeader ? actions : undefined;
      },
      leader: line,
    });
    const server = await startRpcServer({ services: [service], authenticate: named });
    ends.push(() => server.stop(0));
    const channel = openRpcChannel({ address: server.address, token: () => 'amy', tries: 1 });
    ends.push(() => channel.close());
    return { asked, role, address: server.address, client: channel.client(LeaseService) };
  }

  const alone = () => replica('one', () => ({ holder: 'one' }));

  it('shows one lease with all of it, and lists them with what is left alone and what is not followed', async () => {
    const { client } = await alone();
    expect((await client.getLease({ order: amy })).lease).toMatchObject({ order: { owner: 'amy' }, namespace: 'lease-amy-1-1-1' });
    const { leases, total, stale, strangers, nextPageToken } = await client.listLeases({ pageSize: 1 });
    expect(leases).toMatchObject([{ order: { owner: 'amy' } }]);
    expect([total, stale, strangers]).toMatchObject([2n, ['pods'], [{ code: 'LabelsTampered', subject: 'lease-odd' }]]);
    expect((await client.listLeases({ pageToken: nextPageToken })).leases).toMatchObject([{ order: { owner: 'bob' } }]);
    await expect(client.getLease({ order: order('cid', 3n) })).rejects.toMatchObject({
      code: 'not_found',
      message: 'nothing is known of a lease of the order cid/3/1/1: it was never won here, or has ended and was forgotten',
    });
  });

  it('takes a manifest, and answers with what became of the lease', async () => {
    const { client, asked } = await alone();
    const { lease } = await client.submitManifest({ order: amy, manifest: '[]', confirm: ['db/data', 'db/data'] });
    expect(asked).toEqual([['submit', expect.objectContaining(amy), { json: '[]', confirmed: ['db/data'] }]]);
    expect(lease?.manifestHash).toBe('new');
  });

  it('says what a manifest would change', async () => {
    const { client } = await alone();
    expect(await client.previewManifest({ order: amy, manifest: '[]' })).toMatchObject({
      changes: [{ service: 'web', code: 'Image', message: 'another image' }],
      restarted: ['web'],
      lostVolumes: ['db/data'],
      refusals: [{ code: 'VolumeLost', message: 'confirm db/data' }],
    });
  });

  it('closes a lease for a reason that the tenant reads', async () => {
    const { client, asked } = await alone();
    await client.closeLease({ order: amy, reason: ' the node is retired ' });
    await client.closeLease({ order: amy });
    expect(asked).toMatchObject([
      ['close', amy, 'the node is retired'],
      ['close', amy, 'the provider closed the lease'],
    ]);
    await expect(client.closeLease({ order: order('cid', 3n) })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lists hostnames by name and owner, with when a released one may be anybody’s', async () => {
    const { client } = await alone();
    const { hostnames, nextPageToken } = await client.listHostnames({ pageSize: 1, owner: 'amy' });
    expect(hostnames).toMatchObject([{ hostname: 'a.example', state: 'Released', since: { seconds: 1n }, freeAt: { seconds: 61n } }]);
    const next = await client.listHostnames({ pageSize: 1, owner: 'amy', pageToken: nextPageToken });
    expect(next.hostnames).toMatchObject([{ hostname: 'b.example', state: 'Held', lease: 'amy-1-1-1' }]);
    expect([next.hostnames[0]?.freeAt, next.nextPageToken]).toEqual([undefined, '']);
  });

  it('lists shells, the newest first, of all leases, of an owner and of a lease', async () => {
    const { client } = await alone();
    const first = await client.listShells({ pageSize: 2 });
    expect(first.shells.map(({ name }) => name)).toEqual(['3', '2']);
    expect(first.total).toBe(3n);
    const rest = await client.listShells({ pageSize: 2, pageToken: first.nextPageToken });
    expect([rest.shells.map(({ name }) => name), rest.nextPageToken]).toEqual([['1'], '']);
    expect(rest.shells).toMatchObject([
      {
        ...{ order: amy, provider: 'akash1provider', service: 'web', pod: 'web-0', proof: 'certificate', fingerprint: 'cafe' },
        ...{ address: '192.0.2.7', replica: 'r-1', openedAt: { seconds: 1n }, closedAt: { seconds: 3n }, outcome: '137' },
      },
    ]);
    expect((await client.listShells({ owner: 'bob' })).shells.map(({ name }) => name)).toEqual(['2']);
    expect((await client.listShells({ order: amy })).shells.map(({ name }) => name)).toEqual(['3', '1']);
    expect((await client.listShells({ order: amy, owner: 'bob' })).total).toBe(0n);
  });

  it('moves a hostname, to the port of routes', async () => {
    const { client, asked } = await alone();
    const { hostname } = await client.transferHostname({ order: amy, hostname: 'a.example', service: 'api' });
    expect(hostname).toMatchObject({ hostname: 'a.example', lease: 'amy-1-1-1', service: 'api' });
    expect(asked).toMatchObject([['transfer', amy, { hostname: 'a.example', service: 'api', externalPort: 80, isStatic: false }]]);
  });

  it('moves a leased address from the lease that has it', async () => {
    const { client, asked } = await alone();
    expect(await client.transferAddress({ order: amy, endpoint: 'front', from: { ...amy, dseq: 2n } })).toMatchObject({
      address: '192.0.2.7',
    });
    expect(asked).toEqual([['address', amy, { endpoint: 'front', from: { ...amy, dseq: 2n } }]]);
  });

  it('lists what is left over, and passes on whether it may go', async () => {
    const { client, asked } = await alone();
    expect((await client.collectLeftovers({ dryRun: true })).leftovers).toMatchObject([{ object: 'Namespace lease-x', fate: 'removable' }]);
    expect(asked).toEqual([['collect', { dryRun: true }]]);
  });

  it.each([
    ['submitManifest', 'order', { manifest: '[]' }],
    ['submitManifest', 'order.owner', { order: { ...amy, owner: '' }, manifest: '[]' }],
    ['submitManifest', 'manifest', { order: amy, manifest: '' }],
    ['submitManifest', 'manifest', { order: amy, manifest: 'x'.repeat(1024 * 1024 + 1) }],
    ['submitManifest', 'confirm[1]', { order: amy, manifest: '[]', confirm: ['a/b', 'data'] }],
    ['submitManifest', 'confirm', { order: amy, manifest: '[]', confirm: Array.from({ length: 257 }, () => 'a/b') }],
    ['previewManifest', 'order', { manifest: '[]' }],
    ['previewManifest', 'manifest', { order: amy, manifest: ' ' }],
    ['closeLease', 'order', { reason: 'r' }],
    ['closeLease', 'reason', { order: amy, reason: 'r'.repeat(257) }],
    ['closeLease', 'reason', { order: amy, reason: 'two\nlines' }],
    ['transferHostname', 'order', { hostname: 'a.example', service: 'web' }],
    ['transferHostname', 'hostname', { order: amy, hostname: '', service: 'web' }],
    ['transferHostname', 'hostname', { order: amy, hostname: 'a b', service: 'web' }],
    ['transferHostname', 'hostname', { order: amy, hostname: 'a'.repeat(254), service: 'web' }],
    ['transferHostname', 'service', { order: amy, hostname: 'a.example', service: '' }],
    ['transferAddress', 'order', { endpoint: 'front', from: amy }],
    ['transferAddress', 'endpoint', { order: amy, endpoint: '', from: amy }],
    ['transferAddress', 'from', { order: amy, endpoint: 'front' }],
    ['transferAddress', 'from.owner', { order: amy, endpoint: 'front', from: { ...amy, owner: '' } }],
    ['getLease', 'order', {}],
    ['listLeases', 'page_size', { pageSize: -1 }],
    ['listHostnames', 'page_token', { pageToken: 'x' }],
    ['listHostnames', 'owner', { owner: 'a\nb' }],
    ['listShells', 'owner', { owner: 'a\nb' }],
    ['listShells', 'order.owner', { order: { ...amy, owner: '' } }],
    ['listShells', 'page_token', { pageToken: 'x' }],
  ] as const)('refuses by the field, on whichever replica: %s %s', async (method, field, request) => {
    const { client, asked } = await replica('waiting', () => ({ holder: 'gone', address: '127.0.0.1:1' }), { isLeader: false });
    const call = client[method] as (message: object) => Promise<unknown>;
    await expect(call(request)).rejects.toMatchObject({ code: 'invalid_argument', details: { fieldViolations: [{ field }] } });
    expect(asked).toEqual([]);
  });

  it('never repeats a manifest that it refuses', async () => {
    const { client } = await alone();
    const manifest = `"top-secret"${' '.repeat(1024 * 1024)}`;
    await expect(client.submitManifest({ order: amy, manifest })).rejects.toThrow(/^(?!.*top-secret).*must have at most 1048576/);
  });

  it('has the leader do what only the leader does, and reads by itself', async () => {
    const leader = await replica('leading', () => ({ holder: 'leading', address: leader.address }));
    const standby = await replica('waiting', () => ({ holder: 'leading', address: leader.address }), { isLeader: false });
    const { client } = standby;
    expect((await client.submitManifest({ order: amy, manifest: '[]', confirm: ['a/b'] })).lease?.manifestHash).toBe('new');
    expect((await client.previewManifest({ order: amy, manifest: '[]' })).restarted).toEqual(['web']);
    await client.closeLease({ order: amy, reason: 'r' });
    expect((await client.transferHostname({ order: amy, hostname: 'a.example', service: 'api' })).hostname?.service).toBe('api');
    expect((await client.transferAddress({ order: amy, endpoint: 'front', from: amy })).address).toBe('192.0.2.7');
    expect((await client.collectLeftovers({})).leftovers).toHaveLength(1);
    expect(leader.asked).toMatchObject([
      ['submit', amy, { json: '[]', confirmed: ['a/b'] }],
      ['preview', amy, '[]'],
      ['close', amy, 'r'],
      ['transfer', amy, { service: 'api' }],
      ['address', amy, { endpoint: 'front' }],
      ['collect', { dryRun: false }],
    ]);
    expect(standby.asked).toEqual([]);
    expect((await client.getLease({ order: amy })).lease?.manifestHash).toBe('');
    leader.role.isLeader = false;
    await expect(client.closeLease({ order: amy })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('leading does not lead, though waiting sent the call here'),
    });
  });

  it('says so while the leader has just become one', async () => {
    const { client, role, asked } = await alone();
    role.trouble = new StatusError('unavailable', 'still reading the leases that stand');
    await expect(client.closeLease({ order: amy })).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toEqual([]);
    expect((await client.listLeases({})).leases).toHaveLength(2);
  });
});
