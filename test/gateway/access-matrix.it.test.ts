import { gatewayRoutes } from '@quartermaster/cluster/testing';
import { limit } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';
import { expected, type MatrixCaller, type MatrixRoute, matrixCallers, matrixRoutes, scopes } from './access-matrix.ts';
import { bodyOf, type Shown } from './gateway-client.ts';
import { GatewaySite, pathOf, selfSigned } from './gateway-site.ts';
import { rpcMethods, rpcOutcomes, rpcRoutes } from './rpc-routes.ts';
import { TenantStream } from './tenant-stream.ts';

/** In every manifest, and in no answer that is not one. */
const canary = 'canary-word';
const env = [`DATABASE_PASSWORD=${canary}`];
const sdl = leaseSdl({ api: { env }, web: { count: 2, env } });
const patience = { timeout: 30_000, interval: 300 };

async function startSetting() {
  const site = await GatewaySite.start();
  const [amy, bob, zed] = [await site.tenant('amy'), await site.tenant('bob'), await site.tenant('zed')];
  const run = (owner: string) => site.leases.run(owner, sdl);
  const [lease, other, foreign] = await Promise.all([run('amy'), run('amy'), run('bob')]);
  const [client, address] = [await site.client(lease), await site.address(lease)];
  const callers = matrixCallers({ amy, bob, zed, lease, other, unknown: await selfSigned('amy') });
  const manifestOf = async (about: Deployed): Promise<string> =>
    (await client.ask({ path: pathOf(about, '/manifest'), shown: { token: (about === foreign ? bob : amy).token() } })).text;
  const manifests = new Map([
    [lease, await manifestOf(lease)] as const,
    [other, await manifestOf(other)],
    [foreign, await manifestOf(foreign)],
  ]);
  return { site, client, address, amy, bob, callers, lease, other, foreign, manifests };
}

const nameOf = ({ route, of }: Omit<MatrixRoute, 'ask'>): string => `${route} ${typeof of === 'object' ? of.service : (of ?? '')}`;
const rules = (caller: MatrixCaller): Record<string, number> =>
  Object.fromEntries([...matrixRoutes, ...rpcRoutes].map((route) => [nameOf(route), expected(route, caller)]));

describe('what is asked of a lease', () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;

  beforeAll(async () => {
    setting = await startSetting();
  });

  afterAll(() => setting?.site.stop());

  /** What came of it: a status, or how the stream was closed; and all that was said. */
  async function outcomeOf({ isStream, ask }: MatrixRoute, about: Deployed, shown: Shown): Promise<readonly [number, string]> {
    const { client, manifests } = setting;
    const asked = { ...ask(about, manifests.get(about) ?? ''), shown };
    const { socket, status, text } = isStream === true ? await client.upgrade(asked) : { ...(await client.ask(asked)), socket: undefined };
    if (socket === undefined) return [status, text];
    const stream = new TenantStream(socket);
    const { code } = await stream.ended;
    return [code, stream.messages.map(({ data }) => data.toString()).join('\n')];
  }

  /** Every route, asked with this, and what came of it. */
  async function outcomes(shown: Shown, about: Deployed): Promise<Record<string, number>> {
    const inTurn = limit(8);
    const all = matrixRoutes.map(async (route) => {
      const [status, text] = await inTurn(() => outcomeOf(route, about, shown));
      const isManifest = status === 200 && route.scope === 'get-manifest';
      expect({ route: route.route, status, isTold: text.includes(canary) }).toMatchObject({ isTold: isManifest });
      return [nameOf(route), status] as const;
    });
    const called = await rpcOutcomes(setting.address, shown, about);
    return Object.fromEntries([...(await Promise.all(all)), ...called.map(([route, status]) => [nameOf(route), status] as const)]);
  }

  it('is all that the gateway serves', () => {
    expect(new Set(matrixRoutes.map(({ route }) => route))).toEqual(new Set(gatewayRoutes()));
    expect(new Set(rpcRoutes.map(({ route }) => route))).toEqual(new Set(rpcMethods));
  });

  it('is answered by the rules, whoever asks', async () => {
    const { callers, lease } = setting;
    for (const [name, caller] of callers) expect({ name, ...(await outcomes(caller.shown, lease)) }).toEqual({ name, ...rules(caller) });
  });

  it('is not there for the lease of somebody else, whatever is shown', async () => {
    const { callers, foreign } = setting;
    for (const [name, caller] of callers) {
      const { shown, refused, isOther } = caller;
      const seen = { shown, ...(refused !== undefined && { refused }), isOther: isOther !== true };
      expect({ name, ...(await outcomes(shown, foreign)) }).toEqual({ name, ...rules(seen) });
    }
  });

  it('shows of the lease the services that a token is for', async () => {
    const { site, client, lease, amy } = setting;
    const deployments = [{ dseq: Number(lease.order.dseq), services: ['api'], scope: [...scopes] }];
    const shown = { token: amy.token({ leases: { access: 'granular', permissions: [{ provider, access: 'granular', deployments }] } }) };
    const { services } = bodyOf<{ services: object }>(await client.ask({ path: pathOf(lease, '/status'), shown }));
    expect(Object.keys(services)).toEqual(['api']);
    const stream = await TenantStream.open(client, pathOf(lease, '/logs'), shown);
    await stream.ended;
    expect([...stream.podNames()]).toEqual((await site.leases.pods(lease, 'api')).map(({ metadata }) => metadata?.name));
  });

  it('is asked of the pods of the lease alone, whatever others are labelled as elsewhere', async () => {
    const { site, client, lease, amy } = setting;
    const own = await site.leases.pods(lease, 'web');
    await plant(own[0]?.metadata?.labels ?? {}, own[0]?.spec?.nodeName ?? '');
    const shown = { token: amy.token() };
    const names = own.map(({ metadata }) => metadata?.name ?? '');
    const shellOf = (index: number): string => pathOf(lease, `/shell?cmd0=hostname&service=web&podIndex=${index}`);
    const shells = names.map(async (_name, index) => {
      const stream = await TenantStream.open(client, shellOf(index), shown);
      await stream.ended;
      return stream.output('stdout').trim();
    });
    expect(await Promise.all(shells)).toEqual(names);
    for (const index of [names.length, names.length + 1])
      expect(await client.upgrade({ path: shellOf(index), shown })).toMatchObject({ status: 400 });
    const logs = await TenantStream.open(client, pathOf(lease, '/logs?service=web'), shown);
    await logs.ended;
    expect(logs.podNames()).toEqual(new Set(names));
  });

  /** A pod that says in another namespace that it is one of the lease, and is the first by name. */
  async function plant(labels: Record<string, string>, nodeName: string): Promise<void> {
    const { client: kube } = setting.site.leases.cluster;
    await kube.create(kinds.namespaces, { metadata: { name: 'planted' } });
    const metadata = { namespace: 'planted', name: 'a-pod', labels };
    await kube.create(kinds.pods, { metadata, spec: { nodeName, containers: [{ name: 'web', image: 'nginx:1' }] } });
    await expect.poll(async () => (await kube.get(kinds.pods, metadata)).status?.phase, patience).toBe('Running');
  }

  it('is not there any more once the lease is closed, with what opened it before', async () => {
    const { site, lease, amy } = setting;
    const before = { token: amy.token() };
    expect(await outcomes(before, lease)).toEqual(rules({ shown: before }));
    await site.leases.close(lease);
    const gone = rules({ shown: before, isOther: true });
    await expect.poll(() => outcomes(before, lease), patience).toEqual(gone);
    expect(await outcomes({ certificate: amy.certificate }, lease)).toEqual(gone);
  });

  it('is refused to a key and to a certificate that the market has forgotten', async () => {
    const { other, amy } = setting;
    const [token, certificate] = [{ token: amy.token() }, { certificate: amy.certificate }];
    await amy.revoke.key();
    const refused = rules({ shown: {}, refused: 401 });
    await expect.poll(() => outcomes(token, other), patience).toEqual(refused);
    expect(await outcomes(certificate, other)).toEqual(rules({ shown: certificate }));
    await amy.revoke.certificate();
    await expect.poll(() => outcomes(certificate, other), patience).toEqual(refused);
  });
});
