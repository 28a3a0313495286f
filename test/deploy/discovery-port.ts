import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { discoveryAudience, discoveryName, discoveryPort, operatorAccount } from '@quartermaster/inventory/discovery';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { type ConnectionEnd, isLetIn } from '@quartermaster/kube/testing';
import { expect, it } from 'vitest';
import { canaries } from './canary-machine.ts';
import { type RunningDeployment, tokenOf } from './role-deployment.ts';
import { podOf, workloadsOf } from './workload-rules.ts';

const tenant = 'lease-of-a-tenant';
const paths = ['/', '/healthz', '/v1/usage', '/v1/hardware', '/metrics', '/livez', '/readyz', '/readyz?verbose', '/debug', '/v1/usage/..'];

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

/** Declares what somebody in a tenant's pod finds out about the port of an agent: who reaches it, and what it answers. */
export function scanDiscoveryPort(running: () => RunningDeployment): void {
  it('is reached by the pods of the operator, and by no tenant and no other role', async () => {
    const { admin, namespace, objects } = running();
    await admin.create(kinds.namespaces, { metadata: { name: tenant } });
    const policies = (await admin.list(kinds.networkPolicies)).items;
    const labelled = new Map(
      (await admin.list(kinds.namespaces)).items.map(({ metadata }) => [metadata?.name ?? '', metadata?.labels ?? {}]),
    );
    const labelsOf = (of: string) => labelled.get(of) ?? {};
    const pods = podsOf(objects, namespace, labelsOf(namespace));
    const [agent, operator] = [pods.get(discoveryName) as ConnectionEnd, pods.get(operatorAccount) as ConnectionEnd];
    const inTenant = { namespace: tenant, namespaceLabels: labelsOf(tenant) };
    const posing = [...pods.values()].flatMap(({ pod }) => (pod === undefined ? [] : [{ ip: '10.9.9.9', pod: { ...pod, ...inTenant } }]));
    const plain: ConnectionEnd = { ip: '10.9.9.8', pod: { ...inTenant, labels: { app: 'web' } } };
    const reaches = (from: ConnectionEnd, port: number) => isLetIn(policies, { from, to: agent, port, protocol: 'TCP' });
    expect([...pods.values(), ...posing, plain].filter((from) => reaches(from, discoveryPort))).toEqual([operator]);
    expect(reaches(operator, 22)).toBe(false);
  });

  it('answers one word to those who reach it without identity, and the way out to those with another', async () => {
    const port = portOf(running());
    for (const path of paths) {
      const known = new Map([
        ['/livez', [200, 'ok\n']],
        ['/readyz', [200, 'ok\n']],
        ['/readyz?verbose', [200, 'ok\n']],
        ['/v1/usage', [401, expect.stringContaining(`made for the audience ${discoveryAudience}`)]],
      ]);
      const { status, text: body } = await ask(port, path);
      expect([path, status, body]).toEqual([path, ...(known.get(path) ?? [404, expect.stringContaining('not found: there are /readyz,')])]);
    }
    const tokens = await tokensOf(running());
    const usage = (token: string) => ask(port, '/v1/usage', token);
    expect(await usage('made-up')).toMatchObject({ status: 401 });
    expect(await usage(tokens.tenant)).toMatchObject({ status: 401 });
    expect(await usage(tokens.operatorElsewhere)).toMatchObject({ status: 401 });
    expect(await usage(tokens.operatorOtherAudience)).toMatchObject({ status: 401 });
    expect(await usage(tokens.tenantForAgents)).toMatchObject({
      status: 403,
      text: expect.stringContaining('add it to discovery-callers'),
    });
    expect(await usage(tokens.posingOperator)).toMatchObject({ status: 403 });
    const told = await usage(tokens.operator);
    expect([told.status, JSON.parse(told.text)]).toMatchObject([200, { gpus: [{ uuid: `GPU-${canaries.gpu}`, utilizationPercent: 12 }] }]);
  });

  it('speaks no plain HTTP, and tells no serial number, address or id of a card to anybody but the operator', async () => {
    const port = portOf(running());
    const { operator: _known, ...strangers } = await tokensOf(running());
    const replies = await Promise.all(
      [undefined, 'made-up', ...Object.values(strangers)].flatMap((token) =>
        ['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE'].flatMap((method) => paths.map((path) => ask(port, path, token, method))),
      ),
    );
    expect(replies.filter(({ status }) => status === undefined)).toEqual([]);
    const plain = await Promise.all(paths.map((path) => askPlain(port, path)));
    expect(plain).toEqual(paths.map(() => undefined));
    const heard = [...replies.map((reply) => JSON.stringify(reply)), await handshake(port), await banner(port)].join('\n');
    const { spec } = await running().admin.get(nodeHardwareType, { name: 'machine-1' });
    for (const canary of [...Object.values(canaries), 'machine-1', spec.machine.hostname ?? '']) {
      expect(`machine-1 ${JSON.stringify(spec)}`).toContain(canary);
      expect(heard.toLowerCase()).not.toContain(canary.toLowerCase());
    }
  });
}

const portOf = ({ process }: RunningDeployment): number => process.ports.get('discovery') ?? 0;

/** One pod of each workload of the manifests. */
function podsOf(
  objects: readonly KubeObject[],
  namespace: string,
  namespaceLabels: Readonly<Record<string, string>>,
): ReadonlyMap<string, ConnectionEnd> {
  return new Map(
    workloadsOf(objects).map((workload, index) => {
      const ports = podOf(workload).containers.flatMap((container) => container.ports ?? []);
      const labels = workload.spec?.template.metadata?.labels ?? {};
      return [workload.metadata?.name ?? '', { ip: `10.1.0.${index + 1}`, pod: { namespace, namespaceLabels, labels, ports } }];
    }),
  );
}

async function tokensOf({ admin, namespace }: RunningDeployment) {
  for (const name of ['default', operatorAccount]) {
    await admin.apply(kinds.serviceAccounts, { metadata: { namespace: tenant, name } }, { fieldManager: 'test', force: true });
  }
  const operator = (audience?: string) =>
    tokenOf({ admin, namespace }, operatorAccount, audience === undefined ? {} : { audiences: [audience] });
  const forAgents = { audiences: [discoveryAudience] };
  return {
    operator: await operator(discoveryAudience),
    /** As it is in every pod of the operator, for the API server. */
    operatorElsewhere: await operator(),
    operatorOtherAudience: await operator('another'),
    tenant: await tokenOf({ admin, namespace: tenant }, 'default'),
    /** Anybody can have a token made for any audience. */
    tenantForAgents: await tokenOf({ admin, namespace: tenant }, 'default', forAgents),
    posingOperator: await tokenOf({ admin, namespace: tenant }, operatorAccount, forAgents),
  };
}

function ask(port: number, path: string, token?: string, method = 'GET'): Promise<Reply> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path, method, headers, agent: false, rejectUnauthorized: false } as const;
    const gone = (): void => resolve({ status: undefined, text: '' });
    request(options, (response) => {
      const shown = JSON.stringify(response.headers);
      text(response).then((body) => resolve({ status: response.statusCode, text: method === 'GET' ? body : shown + body }), gone);
    })
      .once('error', gone)
      .end();
  });
}

/** The status of an answer in plain text; undefined when there is none. */
function askPlain(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    requestPlain({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', () => resolve(undefined))
      .end();
  });
}

/** All that a handshake shows of who serves. */
function handshake(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(JSON.stringify(socket.getPeerX509Certificate()?.toLegacyObject()));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** What the server says to nonsense. */
function banner(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connectTcp(port, '127.0.0.1', () => socket.write('HELP\r\nQUIT\r\n'));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    socket.once('error', () => {});
    socket.once('close', () => resolve(said));
  });
}
