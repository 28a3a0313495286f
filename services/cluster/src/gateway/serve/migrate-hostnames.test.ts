import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { expose } from '../../../test/lease-content.ts';
import { groupOf, leaseRecord, leaseServiceOf, leaseSight } from '../../../test/seen-lease.ts';
import { wantedHostnames } from '../../hostnames/wanted-hostnames.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { Tenant } from '../who/tenant.ts';
import type { TokenAccess } from '../who/token-claims.ts';
import { LeaseDoor } from './lease-door.ts';
import { migrateHostnames } from './migrate-hostnames.ts';

const { signal } = new AbortController();
const tenant = (access: TokenAccess = { access: 'full' }): Tenant => ({
  owner: 'amy',
  proof: 'token',
  fingerprint: 'f',
  endsAt: 0,
  access,
});
const forDeployment = (...dseqs: number[]): Tenant =>
  tenant({
    access: 'granular',
    permissions: [
      { provider: 'akash1provider', access: 'granular', deployments: dseqs.map((dseq) => ({ dseq, scope: ['hostname-migrate'] })) },
    ],
  });
const [from, to, bobs] = [leaseRecord('amy', 1n), leaseRecord('amy', 2n), leaseRecord('bob', 3n)];
const { gseq } = to.lease;
const terms = { ingressDomain: 'ingress.example', staticHosts: true };
const group = groupOf(leaseServiceOf('web', { exposes: [expose({ hosts: ['a.example', 'B.example', 'bücher.example'] })] }));
const body = (hostnames: unknown = ['a.example'], changed: object = {}) => ({
  ...{ hostnames_to_migrate: hostnames, destination_dseq: '2', destination_gseq: gseq },
  ...changed,
});

function gateway({ holders = {}, fails }: { readonly holders?: Readonly<Record<string, LeaseRecord>>; readonly fails?: string } = {}) {
  const records = [from, to, bobs];
  const of = (name: string) => records.find((each) => each.name === name);
  const sight = (name: string) => {
    const record = of(name);
    return (
      record &&
      leaseSight(record.lease.owner, record.lease.dseq, record === to ? { manifest: { group, hash: 'a' } } : { manifest: undefined })
    );
  };
  const moved: string[] = [];
  const migrate = (asked: unknown, by = tenant()): Promise<void> =>
    migrateHostnames(
      {
        ...{
          door: new LeaseDoor({ records: { of, all: () => records, isRead: true }, sights: { of: sight }, decisions: { all: () => [] } }),
          records: { of },
          terms,
        },
        hostnames: { holderOf: (hostname) => holders[hostname]?.name },
        actions: {
          transferHostname: async (lease, { hostname, service }) => {
            if (hostname === fails) throw new StatusError('aborted', 'somebody else is at it');
            moved.push(`${hostname} to ${service} of ${lease.dseq}`);
          },
        },
      },
      by,
      asked,
      signal,
    );
  return { migrate, moved };
}
const refused = (code: string, text: string) => ({ code, message: expect.stringContaining(text) });

describe('hostnames that migrate', () => {
  it('go to the lease whose manifest has them, each once and in its normal form', async () => {
    const { migrate, moved } = gateway({ holders: { 'a.example': from } });
    await migrate(body(['A.example', 'b.example', 'b.example', 'BÜCHER.example'], { destination_dseq: 2 }));
    expect(moved).toEqual(['a.example to web of 2', 'b.example to web of 2', 'xn--bcher-kva.example to web of 2']);
  });

  it.each([
    ['the manifest does not have', ['c.example'], 'failed_precondition', 'does not have c.example'],
    ['are none', ['localhost'], 'invalid_argument', 'hostnames_to_migrate: '],
    [
      'are the provider’s own',
      [wantedHostnames(to.lease, group, terms).find(({ isStatic }) => isStatic)?.hostname],
      'failed_precondition',
      'does not have',
    ],
  ])('that %s hold up all of them', async (_what, more, code, text) => {
    const { migrate, moved } = gateway();
    await expect(migrate(body(['a.example', ...more]))).rejects.toMatchObject(refused(code, text));
    expect(moved).toEqual([]);
  });

  it.each([
    [null, 'body: '],
    [[], 'body: '],
    [{}, 'hostnames_to_migrate: '],
    [body([]), 'hostnames_to_migrate: '],
    [body(Array.from({ length: 101 }, () => 'a.example')), 'hostnames_to_migrate: '],
    [body([7]), 'hostnames_to_migrate.0: '],
    [body('a.example'), 'hostnames_to_migrate: '],
    [body(undefined, { destination_dseq: 0 }), 'destination_dseq: '],
    [body(undefined, { destination_dseq: '02' }), 'dseq: '],
    [body(undefined, { destination_dseq: 2 ** 53 }), 'destination_dseq: '],
    [body(undefined, { destination_gseq: '1' }), 'destination_gseq: '],
    [body(undefined, { owner: 'bob' }), 'body: '],
  ])('are not read from %j', async (asked, text) => {
    await expect(gateway().migrate(asked)).rejects.toMatchObject(refused('invalid_argument', text));
  });

  it('go to no lease that is another’s, or of another group', async () => {
    const { migrate } = gateway();
    await expect(migrate(body(undefined, { destination_dseq: '3' }))).rejects.toMatchObject(refused('not_found', 'deployment 3'));
    await expect(migrate(body(undefined, { destination_gseq: gseq + 1 }))).rejects.toMatchObject(refused('not_found', 'destination_gseq'));
  });

  it('need a token for where they go, and for where they are', async () => {
    const { migrate, moved } = gateway({ holders: { 'a.example': from } });
    await expect(migrate(body(), forDeployment(1))).rejects.toMatchObject(refused('permission_denied', 'deployment 2'));
    await expect(migrate(body(), forDeployment(2))).rejects.toMatchObject(refused('permission_denied', 'the lease that has a.example'));
    await expect(migrate(body(), tenant({ access: 'scoped', scope: ['ip-migrate'] }))).rejects.toMatchObject(
      refused('permission_denied', 'hostname-migrate'),
    );
    expect(moved).toEqual([]);
    await migrate(body(), forDeployment(1, 2));
    expect(moved).toEqual(['a.example to web of 2']);
  });

  it('of another owner are refused by whoever decides, and not told of here', async () => {
    const { migrate, moved } = gateway({ holders: { 'a.example': bobs } });
    await migrate(body(), forDeployment(2));
    expect(moved).toEqual(['a.example to web of 2']);
  });

  it('say how far they came', async () => {
    const { migrate } = gateway({ fails: 'b.example' });
    await expect(migrate(body(['a.example', 'b.example']))).rejects.toMatchObject(
      refused('aborted', 'moved a.example; b.example was not: somebody else is at it'),
    );
    await expect(migrate(body(['b.example', 'a.example']))).rejects.toMatchObject({ code: 'aborted', message: 'somebody else is at it' });
  });
});
