import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { leaseRecord } from '../../../test/seen-lease.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { SeenPort } from '../../known-leases/lease-sight.ts';
import type { Tenant } from '../who/tenant.ts';
import type { TokenAccess } from '../who/token-claims.ts';
import { LeaseDoor } from './lease-door.ts';
import { migrateEndpoints } from './migrate-endpoints.ts';

const { signal } = new AbortController();
const tenant = (access: TokenAccess = { access: 'full' }): Tenant => ({
  owner: 'amy',
  proof: 'token',
  fingerprint: 'f',
  endsAt: 0,
  access,
});
const forDeployments = (...dseqs: number[]): Tenant =>
  tenant({
    access: 'granular',
    permissions: [{ provider: 'akash1provider', access: 'granular', deployments: dseqs.map((dseq) => ({ dseq, scope: ['ip-migrate'] })) }],
  });
const [first, second, third, bobs] = [leaseRecord('amy', 1n), leaseRecord('amy', 2n), leaseRecord('amy', 3n), leaseRecord('bob', 4n)];
const closing = leaseRecord('amy', 5n, { closingAt: 1 });
const { gseq } = second.lease;
const body = (endpoints: unknown = ['front'], changed: object = {}) => ({
  ...{ endpoints_to_migrate: endpoints, destination_dseq: '2', destination_gseq: gseq },
  ...changed,
});

type Having = readonly (readonly [LeaseRecord, readonly string[]])[];

/** Leases that have an address under these endpoints each. */
function gateway(having: Having = [[first, ['front', 'back']]], { held = '', fails = '' } = {}) {
  const records = [first, second, third, bobs, closing];
  const of = (name: string) => records.find((each) => each.name === name);
  const portOf = (endpoint: string): SeenPort => ({
    service: 'web',
    port: 80,
    externalPort: 80,
    protocol: 'TCP',
    endpoint,
    ip: '192.0.2.1',
  });
  const moved: string[] = [];
  const options = {
    door: new LeaseDoor({
      records: { of, all: () => records, isRead: true },
      sights: { of: () => undefined },
      decisions: { all: () => [] },
    }),
    records: { of, all: () => records },
    addresses: {
      heldBy: (lease: string, endpoint: string) =>
        lease === second.name && endpoint === held ? { address: '192.0.2.9', owner: 'amy', lease, endpoint, formerly: [] } : undefined,
      givenBy: () => undefined,
    },
    caches: {
      portsIn: (namespace: string) =>
        having.filter(([record]) => record.namespace === namespace).flatMap(([, endpoints]) => endpoints.map(portOf)),
    },
    actions: {
      transferAddress: async (
        to: { readonly dseq: bigint },
        { endpoint, from }: { readonly endpoint: string; readonly from: { readonly dseq: bigint } },
      ) => {
        if (endpoint === fails) throw new StatusError('aborted', 'it changed hands');
        moved.push(`${endpoint} of ${from.dseq} to ${to.dseq}`);
      },
    },
  };
  return { moved, migrate: (asked: unknown, by = tenant()): Promise<void> => migrateEndpoints(options, by, asked, signal) };
}
const refused = (code: string, text: string) => ({ code, message: expect.stringContaining(text) });

describe('endpoints that migrate', () => {
  it('come from the one lease of the owner that has them, each once, and no others with them', async () => {
    const { migrate, moved } = gateway([
      [first, ['front', 'back', 'side']],
      [bobs, ['front']],
      [closing, ['front']],
    ]);
    await migrate(body(['front', 'back', 'front']));
    expect(moved).toEqual(['front of 1 to 2', 'back of 1 to 2']);
  });

  it('come from the lease that is named, where several have them', async () => {
    const both: Having = [
      [first, ['front']],
      [third, ['front']],
    ];
    const { migrate, moved } = gateway(both);
    await expect(migrate(body())).rejects.toMatchObject(
      refused('failed_precondition', `source_dseq and source_gseq: 1 (group 1), 3 (group 1)`),
    );
    await migrate(body(undefined, { source_dseq: '3', source_gseq: 1 }));
    // A token that is for one of them says as much.
    await migrate(body(), forDeployments(1, 2));
    expect(moved).toEqual(['front of 3 to 2', 'front of 1 to 2']);
  });

  it('need a token for where they go, and for where they are', async () => {
    const { migrate, moved } = gateway();
    await expect(migrate(body(), forDeployments(1))).rejects.toMatchObject(refused('permission_denied', 'deployment 2'));
    await expect(migrate(body(), forDeployments(2))).rejects.toMatchObject(
      refused('permission_denied', 'the lease that has the address of front'),
    );
    await expect(migrate(body(), tenant({ access: 'scoped', scope: ['hostname-migrate'] }))).rejects.toMatchObject(
      refused('permission_denied', 'ip-migrate'),
    );
    expect(moved).toEqual([]);
  });

  it('hold up all of them where one has no address, and nothing is left to do where they are there', async () => {
    const { migrate, moved } = gateway();
    await expect(migrate(body(['front', 'side']))).rejects.toMatchObject(
      refused('failed_precondition', 'no other lease has an address for side yet'),
    );
    const again = gateway([[second, ['front']]], { held: 'front' });
    await again.migrate(body());
    expect([moved, again.moved]).toEqual([[], []]);
  });

  it('go to no lease that is another’s, closes, or is of another group', async () => {
    const { migrate } = gateway();
    for (const dseq of ['4', '5', '6'])
      await expect(migrate(body(undefined, { destination_dseq: dseq }))).rejects.toMatchObject(refused('not_found', `deployment ${dseq}`));
    await expect(migrate(body(undefined, { destination_gseq: gseq + 1 }))).rejects.toMatchObject(refused('not_found', 'destination_gseq'));
  });

  it.each([
    [null, 'body: '],
    [{}, 'endpoints_to_migrate: '],
    [body([]), 'endpoints_to_migrate: '],
    [body(['']), 'endpoints_to_migrate.0: '],
    [body(Array.from({ length: 101 }, () => 'front')), 'endpoints_to_migrate: '],
    [body(undefined, { destination_dseq: 0 }), 'destination_dseq: '],
    [body(undefined, { source_gseq: '1' }), 'source_gseq: '],
    [body(undefined, { owner: 'bob' }), 'body: '],
  ])('are not read from %j', async (asked, text) => {
    await expect(gateway().migrate(asked)).rejects.toMatchObject(refused('invalid_argument', text));
  });

  it('say how far they came', async () => {
    const { migrate } = gateway(undefined, { fails: 'back' });
    await expect(migrate(body(['front', 'back']))).rejects.toMatchObject(refused('aborted', 'moved front; back was not: it changed hands'));
  });
});
