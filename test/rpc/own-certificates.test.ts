import { InventoryService } from '@quartermaster/api/inventory';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { CallLimits, openRpcChannel, type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { afterEach, expect, it } from 'vitest';
import { createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';
import { stubService } from './inventory-stub.ts';

let server: RpcServer | undefined;
afterEach(() => server?.stop(0));

it('callers with certificates of their own are counted by address until they are known, and those who were known keep their way in', async () => {
  const authority = await createCertificateAuthority('ours');
  const { certificate, key } = await authority.issueServer({ commonName: 'server', hosts: ['127.0.0.1'] });
  const asked: (string | undefined)[] = [];
  server = await startRpcServer({
    services: [stubService({})],
    tls: { serverOptions: () => ({ cert: certificate, key, requestCert: true, rejectUnauthorized: false }), keep: () => () => {} },
    // Of an address four at once.
    limits: new CallLimits({ perSecond: 10, clock: new FakeClock() }),
    authenticate: ({ ownCertificate }) => {
      const name = ownCertificate?.commonName;
      asked.push(name);
      if (name === 'amy') return { kind: 'token', name, groups: [] };
      throw new StatusError('unauthenticated', 'nobody knows the certificate');
    },
  });
  const call = async (own: IssuedCertificate): Promise<string> => {
    const tls = { ca: authority.certificate, cert: own.certificate, key: own.key };
    const channel = openRpcChannel({ address: server?.address ?? '', tls, tries: 1 });
    const answer = channel.client(InventoryService).getStatus({});
    const outcome = answer.then(
      () => 'ok',
      (thrown: unknown) => (thrown as StatusError).code,
    );
    return await outcome.finally(() => channel.close());
  };
  const [amy, mallory] = [await createCertificateAuthority('amy'), await createCertificateAuthority('mallory')];
  expect(await call(amy)).toBe('ok');
  const outcomes: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) outcomes.push(await call(mallory));
  const [refused, limited] = ['unauthenticated', 'resource_exhausted'];
  expect(outcomes).toEqual([refused, refused, refused, refused, limited, limited]);
  expect(await call(amy)).toBe('ok');
  expect(asked.filter((name) => name === 'mallory')).toHaveLength(4);
});
