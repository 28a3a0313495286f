import { describe, expect, it } from 'vitest';
import { AddressServer } from '../../test/address-server.ts';
import { expose } from '../../test/lease-content.ts';
import { groupOf, leaseRecord, leaseServiceOf } from '../../test/seen-lease.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { LeaseContext } from './lease-context.ts';
import { transferAddress } from './transfer-address.ts';

const [first, second, third, bobs] = [leaseRecord('amy', 1n), leaseRecord('amy', 2n), leaseRecord('amy', 3n), leaseRecord('bob', 4n)];
const { signal } = new AbortController();

/** Leases that all have the endpoint in their manifests, and those of these addresses under it. */
function world(ips: Readonly<Record<string, string>> = { [first.name]: '192.0.2.1' }, changed: Partial<LeaseRecord> = {}) {
  const server = new AddressServer();
  const { book, claims } = server.leader();
  const records = [{ ...first, ...changed }, second, third, bobs];
  const group = groupOf(leaseServiceOf('web', { exposes: [expose({ ip: 'front' })] }));
  const context = {
    ...{ addresses: book, addressClaims: claims },
    records: { of: (name: string) => records.find((each) => each.name === name) },
    manifests: { shown: () => ({ group, hash: 'a' }) },
    caches: {
      portsIn: (namespace: string) => {
        const ip = ips[records.find((each) => each.namespace === namespace)?.name ?? ''];
        return ip === undefined ? [] : [{ service: 'web', port: 80, externalPort: 80, protocol: 'TCP', endpoint: 'front', ip }];
      },
    },
  } as unknown as LeaseContext;
  const transfer = (to: LeaseRecord, from: LeaseRecord, endpoint = 'front'): Promise<string> =>
    transferAddress(context, { name: to.name, lease: to.lease, record: to, signal }, { endpoint, from: from.lease });
  return { transfer, server };
}
const refused = (code: string, text: string) => ({ code, message: expect.stringContaining(text) });

describe('an address that is given to another lease', () => {
  it('is the one that the lease has, and is given once however often it is asked for', async () => {
    const { transfer, server } = world();
    expect(await transfer(second, first)).toBe('192.0.2.1');
    expect(await transfer(second, first)).toBe('192.0.2.1');
    expect(server.held()).toEqual([`192.0.2.1 front: ${second.name} from ${first.name}`]);
  });

  it('can be given on, and back', async () => {
    const { transfer, server } = world();
    await transfer(second, first);
    expect(await transfer(third, second)).toBe('192.0.2.1');
    expect(await transfer(first, third)).toBe('192.0.2.1');
    expect(server.held()).toEqual([`192.0.2.1 front: ${first.name} from ${second.name},${third.name}`]);
  });

  it('is nobody else’s to give', async () => {
    const { transfer, server } = world({ [first.name]: '192.0.2.1', [bobs.name]: '192.0.2.2' });
    await expect(transfer(second, bobs)).rejects.toMatchObject(refused('not_found', 'amy has no lease bob-4-1-1'));
    await expect(transfer(bobs, first)).rejects.toMatchObject(refused('not_found', 'bob has no lease amy-1-1-1'));
    await expect(transfer(first, first)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(server.did.filter((each) => each !== 'list')).toEqual([]);
  });

  it('is refused where there is none yet, or none any more', async () => {
    await expect(world({}).transfer(second, first)).rejects.toMatchObject(refused('failed_precondition', 'yet: try again'));
    await expect(world({ [first.name]: '' }).transfer(second, first)).rejects.toMatchObject(refused('failed_precondition', 'yet'));
    const { transfer } = world();
    await transfer(second, first);
    await expect(transfer(third, first)).rejects.toMatchObject(refused('failed_precondition', `any more: lease ${second.name} has it`));
  });

  it.each([{ closingAt: 1 }, { state: 'Complete', completeAt: 2 }] as const)('is not of a lease that has ended: %j', async (changed) => {
    const { transfer } = world(undefined, changed);
    await expect(transfer(second, first)).rejects.toMatchObject(refused('failed_precondition', 'has ended'));
  });

  it('is for an endpoint that the manifest has', async () => {
    await expect(world().transfer(second, first, 'back')).rejects.toMatchObject(refused('failed_precondition', 'does not have back'));
  });

  it('does not take the place of another one that was moved there', async () => {
    const { transfer, server } = world({ [first.name]: '192.0.2.1', [third.name]: '192.0.2.3' });
    await transfer(second, first);
    await expect(transfer(second, third)).rejects.toMatchObject(refused('failed_precondition', 'has the address 192.0.2.1'));
    expect(server.held()).toHaveLength(1);
  });
});
