import { create } from '@bufbuild/protobuf';
import { ServiceLogsRequestSchema, ServiceStatusRequestSchema, type ServiceStatusResponse } from '@quartermaster/api/akash-provider';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import type { CallContext } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { groupOf, leaseServiceOf, leaseSight } from '../../../test/seen-lease.ts';
import type { Granted } from '../who/granted.ts';
import type { Tenant } from '../who/tenant.ts';
import { leaseRpc } from './lease-rpc.ts';

const tenant: Tenant = { owner: 'amy', proof: 'token', fingerprint: 'f', endsAt: 0, access: { access: 'full' } };
const leaseId = { owner: 'amy', dseq: 1n, gseq: 1, oseq: 1 };

/** Of a lease with the services web and db, to whoever may see some of them. */
function setting(services: Granted) {
  const manifest = { group: groupOf(leaseServiceOf('web'), leaseServiceOf('db')), hash: 'a' };
  const sight = leaseSight('amy', 1n, { manifest, namespace: { name: 'lease-1', uid: 'u' } });
  const held = Promise.withResolvers<void>();
  let reading = 0;
  const parts = {
    door: { open: () => ({ sight, services }), ofDeployment: () => [] },
    rights: { follow: () => expect.fail() },
    actions: { submitManifest: () => expect.fail() },
    caches: {
      podsIn: () => [{ name: 'web-1', service: 'web' }] as unknown as ReturnType<Parameters<typeof leaseRpc>[0]['caches']['podsIn']>,
    },
    changes: { listen: () => () => {} },
    podLimits: { opened: () => () => {} },
    cluster: {
      async *lines() {
        reading += 1;
        await held.promise;
        yield '2026-01-01T00:00:00.000000000Z hello';
      },
    },
    publicHost: '',
    slowReaderMs: 1,
    clock: new FakeClock(),
    log: silentLog,
  };
  const service = leaseRpc(parts);
  const context = { identity: { kind: 'token', name: 'amy', groups: [], tenant }, peer: '', signal: new AbortController().signal };
  const methodOf = (name: string) => service.methods.find(({ descriptor }) => descriptor.localName === name);
  const status = async (...asked: string[]): Promise<readonly string[]> => {
    const request = create(ServiceStatusRequestSchema, { leaseId, services: asked });
    const answer = (await methodOf('serviceStatus')?.call(request, context as unknown as CallContext)) as ServiceStatusResponse;
    return answer.services.map(({ name }) => name);
  };
  const logs = async (): Promise<unknown> =>
    await methodOf('serviceLogs')?.call(create(ServiceLogsRequestSchema, { leaseId }), context as unknown as CallContext);
  return { status, logs, release: held.resolve, reading: () => reading };
}

describe('the gRPC of leases', () => {
  it('tells of all services where none is named and the credential is for all', async () => {
    const { status } = setting('all');
    expect([await status(), await status('db')]).toEqual([['web', 'db'], ['db']]);
    await expect(status('gone')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells of no service that the token is not for, also where those that it is for are gone', async () => {
    const gone = setting(new Set(['gone']));
    expect(await gone.status()).toEqual([]);
    await expect(gone.status('web')).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await setting(new Set(['gone', 'db'])).status()).toEqual(['db']);
  });

  it('reads whole logs for a tenant four times at once and no more', async () => {
    const { logs, reading, release } = setting('all');
    const first = [logs(), logs(), logs(), logs()];
    await expect(logs()).rejects.toMatchObject({ code: 'resource_exhausted' });
    expect(reading()).toBe(4);
    release();
    await Promise.all(first);
    expect(await logs()).toMatchObject({ services: [{ name: 'web-1' }] });
  });
});
