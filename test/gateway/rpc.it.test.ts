import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { LeaseRPC, ProviderRPC } from '@quartermaster/api/akash-provider';
import { openRpcChannel } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { provider } from '../leases/running-leases.ts';
import { GatewaySite } from './gateway-site.ts';

const [ok, invalidArgument, unimplemented, unauthenticated] = [0, 3, 12, 16];
const serviceStatus = `/${LeaseRPC.typeName}/ServiceStatus`;

async function startSetting() {
  const site = await GatewaySite.start();
  const amy = await site.tenant('amy');
  const lease = await site.lease('amy');
  return { site, amy, lease, address: await site.address(lease) };
}

describe('the gRPC of the gateway', () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    setting = await startSetting();
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  afterAll(() => setting?.site.stop());

  const channel = (token?: string) => {
    const { grpcAddress: address, certificateAuthority: ca } = setting.address;
    const opened = openRpcChannel({ address, tls: { ca }, token: token === undefined ? undefined : () => token, tries: 1 });
    ends.push(() => opened.close());
    return opened;
  };
  const open = (isCertified = false): ClientHttp2Session => {
    const { grpcAddress, certificateAuthority: ca } = setting.address;
    const { certificate } = setting.amy;
    const own = isCertified ? { cert: certificate.certificate, key: certificate.key } : {};
    const session = connect(`https://${grpcAddress}`, { ca, ...own });
    session.on('error', () => {});
    ends.push(() => session.destroy());
    return session;
  };
  /** Its status, without a word of the request having been sent. */
  const statusOf = async (session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}): Promise<number> => {
    const call = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...headers,
    });
    const [answer] = (await once(call, 'response')) as [IncomingHttpHeaders];
    return Number(answer['grpc-status']);
  };

  it('refuses whoever shows nothing that counts, or too much, before it reads what they send', async () => {
    const authorization = `Bearer ${setting.amy.token()}`;
    expect(await statusOf(open(), serviceStatus)).toBe(unauthenticated);
    expect(await statusOf(open(), serviceStatus, { authorization: 'Basic abc' })).toBe(invalidArgument);
    expect(await statusOf(open(true), serviceStatus, { authorization: 'Basic abc' })).toBe(invalidArgument);
    expect(await statusOf(open(true), serviceStatus, { authorization })).toBe(invalidArgument);
  });

  it('shows a token for services that are gone none of the others', async () => {
    const { amy, lease } = setting;
    const statusFor = async (...services: string[]): Promise<readonly string[]> => {
      const deployments = [{ dseq: Number(lease.order.dseq), services, scope: ['status'] }];
      const token = amy.token({ leases: { access: 'granular', permissions: [{ provider, access: 'granular', deployments }] } });
      const { services: seen } = await channel(token).client(LeaseRPC).serviceStatus({ leaseId: lease.order });
      return seen.map(({ name }) => name);
    };
    expect([await statusFor('gone'), await statusFor('gone', 'api')]).toEqual([[], ['api']]);
  });

  it('has strangers follow its status four times, and ask whether it serves, and nothing else', async () => {
    const client = channel().client(ProviderRPC);
    const following = Array.from({ length: 4 }, () => client.streamStatus({}));
    const first = await Promise.all(following.map(async (each) => (await each.next()).value?.cluster?.leases?.active));
    expect(first).toEqual([1, 1, 1, 1]);
    await expect(client.streamStatus({}).next()).rejects.toMatchObject({ code: 'resource_exhausted' });
    await Promise.all(following.map((each) => each.return()));
    const session = open();
    expect(await statusOf(session, '/grpc.health.v1.Health/Watch')).toBe(unimplemented);
    expect(await statusOf(session, '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')).toBe(unimplemented);
    const check = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    check.end(Buffer.alloc(5));
    check.resume();
    const [trailers] = (await once(check, 'trailers')) as [IncomingHttpHeaders];
    expect(Number(trailers['grpc-status'])).toBe(ok);
  });

  it('takes a hundred connections of one address, and a hundred calls on each', async () => {
    const isOpen = async (): Promise<boolean> => {
      const session = open();
      return await new Promise((resolve) => session.once('remoteSettings', () => resolve(true)).once('close', () => resolve(false)));
    };
    const opened = await Promise.all(Array.from({ length: 110 }, isOpen));
    expect(opened.filter(Boolean).length).toBeLessThanOrEqual(100);
    for (const end of ends.splice(0)) end();
    await expect.poll(isOpen).toBe(true);
    const session = open();
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  });
});
