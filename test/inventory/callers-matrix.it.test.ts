import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { ClusterRPC, NodeRPC } from '@quartermaster/api/akash-inventory';
import { InventoryService, InventoryViewsService } from '@quartermaster/api/inventory';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { RemovalsService } from '@quartermaster/api/removals';
import { openLocalTokens } from '@quartermaster/fulfillment';
import { inventoryRole } from '@quartermaster/inventory';
import { type InventoryTokens, inventoryAccess, inventoryTokens } from '@quartermaster/inventory/testing';
import { codeOf, systemClock } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { openRpcChannel, type RpcChannel, restBindings } from '@quartermaster/rpc';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/setup/find-node24.mjs';
import type { IssuedCertificate } from '../kube/certificates.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { OidcIssuer } from '../support/oidc-issuer.ts';
import { addNode, prepare, tenant } from './operator-cluster.ts';

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string };
}

/** What a caller shows. */
interface Shown {
  readonly token?: string | undefined;
  readonly certificate?: IssuedCertificate | undefined;
}

type Verdict = 'unauthenticated' | 'permission_denied' | 'failed' | 'let in';

const strangers = ['nobody', 'a made-up token', 'an expired token of the issuer', 'a local token of another installation'] as const;
const outsiders = [
  'a service account without a right',
  'a service account that may get pods',
  'a tenant with a local token',
  'a tenant of the issuer',
  'a client certificate that nobody bound',
] as const;
const readers = ['a service account that may get inventories', 'a local reader', 'a local provider', 'a reader of the issuer'] as const;
const admins = [
  'a service account that may delete hardware',
  'a local administrator',
  'an administrator of the issuer',
  'a client certificate of an administrator',
] as const;
type Kind = (typeof strangers)[number] | (typeof outsiders)[number] | (typeof readers)[number] | (typeof admins)[number];

const descriptors: readonly DescService[] = [ClusterRPC, NodeRPC, InventoryService, InventoryViewsService, RemovalsService];
const pathOf = ({ parent, name }: DescMethod): string => `/${parent.typeName}/${name}`;
const approve = pathOf(RemovalsService.method.approveRemoval);

describe('methods of the inventory × callers, on the real API server', { timeout: 120_000 }, () => {
  const run = promisify(execFile);
  const shown = new Map<Kind, Shown>();
  const channels = new Map<Kind, RpcChannel>();
  const ends: (() => unknown)[] = []; // in the order of their starts
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let directory: string;
  /** The first takes tokens on loopback in plain text, the second also certificates. */
  let operators: readonly [RunningRole, RunningRole];
  let methods: readonly DescMethod[];

  async function account(
    name: string,
    right?: { readonly verb: string; readonly group: string; readonly resource: string },
  ): Promise<Shown> {
    const ref = { namespace: tenant, name };
    await admin.create(kinds.serviceAccounts, { metadata: ref });
    if (right !== undefined) {
      await admin.create(kinds.clusterRoles, {
        metadata: { name },
        rules: [{ apiGroups: [right.group], resources: [right.resource], verbs: [right.verb] }],
      });
      await admin.create(kinds.clusterRoleBindings, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', ...ref }],
      });
    }
    const asked: TokenRequest = { spec: {} };
    return { token: (await admin.createSubresource(kinds.serviceAccounts, ref, 'token', asked)).status?.token };
  }

  async function file(name: string, content: string): Promise<string> {
    await writeFile(join(directory, name), content, { mode: 0o600 });
    return join(directory, name);
  }

  async function showAll(tokens: InventoryTokens, others: InventoryTokens, issuer: OidcIssuer): Promise<void> {
    const { group, plural } = nodeHardwareType;
    const local = await openLocalTokens(tokens.keyFile, systemClock);
    const issued = async (role: string): Promise<Shown> => ({
      token: await local.issue({ name: role, role, groups: ['acme'], lifetimeMs: 3_600_000, services: ['inventory'] }),
    });
    const ofIssuer = (...groups: readonly string[]): Shown => ({ token: issuer.idToken(3_600, { groups }) });
    const certified = async (commonName: string): Promise<Shown> => ({
      certificate: await controlPlane.certificateAuthority.issueClient({ commonName, organizations: ['system:masters'] }),
    });
    const all: readonly (readonly [Kind, Shown])[] = [
      ['nobody', {}],
      ['a made-up token', { token: 'made-up' }],
      ['an expired token of the issuer', { token: issuer.idToken(-3_600, { groups: ['admins'] }) }],
      ['a local token of another installation', { token: await others.issue('admin') }],
      ['a service account without a right', await account('pod')],
      ['a service account that may get pods', await account('viewer', { verb: 'get', group: '', resource: 'pods' })],
      ['a tenant with a local token', await issued('tenant')],
      ['a tenant of the issuer', ofIssuer('acme')],
      ['a client certificate that nobody bound', await certified('stranger')],
      ['a service account that may get inventories', await account('reader', { verb: 'get', group, resource: 'inventories' })],
      ['a local reader', { token: await tokens.issue('reader') }],
      ['a local provider', await issued('provider')],
      ['a reader of the issuer', ofIssuer('acme', 'watchers')],
      ['a service account that may delete hardware', await account('approver', { verb: 'delete', group, resource: plural })],
      ['a local administrator', await issued('admin')],
      ['an administrator of the issuer', ofIssuer('admins')],
      ['a client certificate of an administrator', await certified('ann')],
    ];
    for (const [kind, each] of all) shown.set(kind, each);
  }

  const placeOf = ({ certificate }: Shown): RunningRole => operators[certificate === undefined ? 0 : 1];

  /** Every method of the services that the running operator has, by its own word. */
  async function servedMethods(): Promise<DescMethod[]> {
    const buf = join(root, 'node_modules/.bin/buf');
    const args = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', '--list-methods', `http://${operators[0].served.grpc}`];
    const listed = (await run(buf, args, { cwd: root })).stdout.trim().split('\n');
    const known = new Map(descriptors.flatMap((service) => service.methods.map((method) => [pathOf(method).slice(1), method])));
    return listed
      .filter((name) => !name.startsWith('grpc.'))
      .map((name) => {
        const method = known.get(name);
        if (method === undefined) throw new Error(`the operator serves ${name}: add its service to this test`);
        return method;
      });
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inventory-callers-'));
    ends.push(() => rm(directory, { recursive: true, force: true }));
    controlPlane = await startControlPlane({ scheduler: false, controllers: false });
    ends.push(() => controlPlane.stop());
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    ends.push(() => admin.close());
    await prepare(admin);
    await addNode(admin, 'node-1');
    const { certificateAuthority } = controlPlane;
    const issuer = await OidcIssuer.start(await certificateAuthority.issueServer({ commonName: 'issuer', hosts: ['127.0.0.1'] }));
    ends.push(() => issuer.stop());
    const [tokens, others] = [await inventoryTokens(), await inventoryTokens()];
    ends.push(
      () => tokens.end(),
      () => others.end(),
    );
    await showAll(tokens, others, issuer);

    const ca = await file('ca.crt', certificateAuthority.certificate);
    const serving = await certificateAuthority.issueServer({ commonName: 'inventory', hosts: ['127.0.0.1'] });
    const tls = [
      `--inventory-tls-cert-file=${await file('tls.crt', serving.certificate)}`,
      `--inventory-tls-key-file=${await file('tls.key', serving.key)}`,
      `--inventory-client-ca-file=${ca}`,
      '--inventory-admins=certificate:ann',
    ];
    const args = [
      ...tokens.args,
      `--inventory-issuers=${issuer.url}`,
      `--inventory-issuer-ca-file=${ca}`,
      `--inventory-audiences=${issuer.clientId}`,
      '--inventory-akash-port=0',
    ];
    await file('settings.yaml', 'inventory-readers: [group:watchers]\n');
    const start = async (more: readonly string[]): Promise<RunningRole> => {
      const { kubeconfig } = controlPlane;
      const running = await startRole(inventoryRole, { kubeconfig, args: [...args, ...more], file: join(directory, 'settings.yaml') });
      ends.push(() => running.stop());
      return running;
    };
    operators = [await start([]), await start(tls)];
    for (const [kind, { token, certificate }] of shown) {
      const identity = certificate && { cert: certificate.certificate, key: certificate.key };
      const channelTls = identity && { ca: certificateAuthority.certificate, ...identity };
      const address = placeOf({ certificate }).served.grpc;
      const channel = openRpcChannel({ address, tls: channelTls, token: token === undefined ? undefined : () => token, tries: 1 });
      channels.set(kind, channel);
      ends.push(() => channel.close());
    }
    methods = await servedMethods();
  }, 180_000);

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  const verdictOf = (code: string): Verdict => {
    if (code === 'unauthenticated' || code === 'permission_denied') return code;
    return code === 'internal' || code === 'unavailable' ? 'failed' : 'let in';
  };

  /** What comes of a call without an argument: only whether somebody looked at it counts. */
  async function callGrpc(channel: RpcChannel, method: DescMethod): Promise<Verdict> {
    const client = channel.client(method.parent) as Readonly<Record<string, (request: object, options: object) => unknown>>;
    const ending = new AbortController();
    try {
      const answer = client[method.localName]?.({}, { signal: ending.signal });
      if (method.methodKind === 'unary') await (answer as Promise<unknown>);
      else await (answer as AsyncGenerator).next();
      return 'let in';
    } catch (thrown) {
      return verdictOf(codeOf(thrown));
    } finally {
      ending.abort();
    }
  }

  const verdictOfStatus = (status: number): Verdict => {
    if (status === 401) return 'unauthenticated';
    if (status === 403) return 'permission_denied';
    return status >= 500 ? 'failed' : 'let in';
  };

  async function callRest(kind: Kind, verb: string, path: string): Promise<Verdict> {
    const { token, certificate } = shown.get(kind) ?? {};
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const url = placeOf({ certificate }).served.rest + path;
    if (certificate === undefined) {
      const ending = new AbortController();
      const { status } = await fetch(url, { method: verb, headers, signal: ending.signal });
      ending.abort();
      return verdictOfStatus(status);
    }
    return await new Promise((resolve, reject) => {
      const identity = { ca: controlPlane.certificateAuthority.certificate, cert: certificate.certificate, key: certificate.key };
      request(url, { method: verb, headers, ...identity, agent: false }, (answer) => {
        answer.destroy();
        resolve(verdictOfStatus(answer.statusCode ?? 500));
      })
        .on('error', reject)
        .end();
    });
  }

  async function tableOf(kind: Kind): Promise<Record<string, Verdict>> {
    const channel = channels.get(kind);
    if (channel === undefined) throw new Error(`${kind} has no channel`);
    const table: Record<string, Verdict> = {};
    for (const method of methods) {
      table[`grpc ${pathOf(method)}`] = await callGrpc(channel, method);
      // What the Akash contract says of HTTP is answered in its own form, by routes.
      if (pathOf(method).startsWith('/akash.')) continue;
      for (const { verb, path } of restBindings(method)) {
        table[`rest ${verb} ${path} ${pathOf(method)}`] = await callRest(kind, verb, path.replaceAll(/\{[^}]*\}/g, 'x'));
      }
    }
    for (const route of inventoryAccess.keys()) {
      if (/^\/[a-z.]+\.v1\./.test(route)) continue;
      table[`rest ${route}`] = await callRest(kind, 'GET', route.replaceAll(/:\w+/g, 'node-1'));
    }
    return table;
  }

  const expected = (table: Record<string, Verdict>, others: Verdict, approving: Verdict = others): Record<string, Verdict> =>
    Object.fromEntries(Object.keys(table).map((key) => [key, key.endsWith(approve) ? approving : others]));

  it('begins with every method that there is, by gRPC and by REST', async () => {
    expect(methods.map(pathOf).toSorted()).toEqual([...inventoryAccess.keys()].filter((path) => /^\/[a-z.]+\.v1\./.test(path)).toSorted());
    const asked = Object.keys(await tableOf('a local administrator'));
    expect(asked.filter((key) => key.startsWith('grpc'))).toHaveLength(methods.length);
    const bound = methods.filter((method) => !pathOf(method).startsWith('/akash.'));
    for (const method of bound) {
      const bindings = restBindings(method);
      expect(bindings).not.toEqual([]);
      expect(asked.filter((key) => key.startsWith('rest ') && key.endsWith(` ${pathOf(method)}`))).toHaveLength(bindings.length);
    }
    expect(new Set(shown.keys())).toEqual(new Set([...strangers, ...outsiders, ...readers, ...admins]));
  });

  it.each(strangers)('nothing is for %s', async (kind) => {
    const table = await tableOf(kind);
    expect(table).toEqual(expected(table, 'unauthenticated'));
  });

  it.each(outsiders)('nothing is for %s, who is told so', async (kind) => {
    const table = await tableOf(kind);
    expect(table).toEqual(expected(table, 'permission_denied'));
  });

  it.each(readers)('everything but approving is for %s', async (kind) => {
    const table = await tableOf(kind);
    expect(table).toEqual(expected(table, 'let in', 'permission_denied'));
  });

  it.each(admins)('everything is for %s', async (kind) => {
    const table = await tableOf(kind);
    expect(table).toEqual(expected(table, 'let in'));
  });

  it('whoever reaches the port for a stock provider reads what that asks for, and nothing else', async () => {
    const channel = openRpcChannel({ address: operators[0].served.withoutIdentity ?? '', tries: 1 });
    ends.push(() => channel.close());
    expect((await channel.client(ClusterRPC).queryCluster({})).nodes).toHaveLength(1);
    for (const method of methods.filter(({ parent }) => parent !== ClusterRPC && parent !== NodeRPC)) {
      const client = channel.client(method.parent) as Readonly<Record<string, (request: object) => unknown>>;
      const answer = client[method.localName]?.({});
      const outcome = method.methodKind === 'unary' ? (answer as Promise<unknown>) : (answer as AsyncGenerator).next();
      await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('says of a caller what it is to the inventory', async () => {
    const session = async (kind: Kind): Promise<unknown> => {
      const headers = { authorization: `Bearer ${shown.get(kind)?.token}` };
      return await (await fetch(`${operators[0].served.rest}/v1/session`, { headers })).json();
    };
    expect(await session('a reader of the issuer')).toEqual({ name: 'alice', role: 'reader' });
    expect(await session('a local administrator')).toEqual({ name: 'admin', role: 'admin' });
    expect(await session('a service account that may get inventories')).toEqual({
      name: `system:serviceaccount:${tenant}:reader`,
      role: 'reader',
    });
    expect(await session('a tenant with a local token')).toMatchObject({ code: 'permission_denied' });
  });

  it('ends a stream at once when the settings take the right to it away', async () => {
    const watch = channels.get('a reader of the issuer')?.client(InventoryService).watchInventory({});
    expect((await watch?.next())?.value).toMatchObject({ event: { case: 'snapshot' } });
    await file('settings.yaml', 'inventory-readers: []\n');
    const rest = async (): Promise<void> => {
      for await (const _event of watch ?? []);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'unauthenticated', details: { reason: 'ACCESS_CHANGED' } });
  });
});
