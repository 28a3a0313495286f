import { PassThrough } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import {
  type ClaimedHostname,
  ClaimedHostnameSchema,
  LeaseRunState,
  LeaseService,
  type Leftover,
  LeftoverSchema,
  type TenantShell,
  TenantShellSchema,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run, written } from '../fulfillment/test/run-program.ts';
import { closeRunningLease } from './close-running-lease.ts';
import { ago, failing, lease, running } from './test/lease-messages.ts';
import { transferHostname } from './transfer-hostname.ts';

let server: RpcServer;
let closed: string[];
let removed: number;
let leftovers: Leftover[];
let claimed: ClaimedHostname[];
let refusal: StatusError | undefined;
let shells: TenantShell[];

/** The leases of a provider by the contract, from fixed messages. */
beforeEach(async () => {
  closed = [];
  refusal = undefined;
  removed = 0;
  leftovers = [
    create(LeftoverSchema, { object: 'Namespace lease-x', lease: 'x-1-1-1', fate: 'removable', reason: 'LeaseClosed' }),
    create(LeftoverSchema, { object: 'Namespace lease-y', fate: 'kept', reason: 'Unknown', message: 'the market does not know it' }),
  ];
  claimed = [
    create(ClaimedHostnameSchema, {
      hostname: 'web.example',
      owner: 'akash1ann',
      lease: 'akash1ann-7-1-1',
      service: 'web',
      externalPort: 80,
      state: 'Held',
    }),
  ];
  shells = ['akash1ann', 'akash1ann', 'akash1bob'].map((owner, index) =>
    create(TenantShellSchema, {
      name: `shell-${index}`,
      order: { owner, dseq: owner === 'akash1ann' ? 7n : 8n, gseq: 1, oseq: owner === 'akash1ann' ? 1 : 2 },
      ...{ service: 'web', pod: 'web-1', proof: 'token', address: '192.0.2.7', openedAt: ago(600), closedAt: ago(597), outcome: '0' },
    }),
  );
  const leases = [lease(running), lease(failing)];
  const find = (order: Parameters<typeof orderText>[0] | undefined) => {
    const match = leases.find((each) => each.order !== undefined && orderText(each.order) === orderText(order ?? {}));
    if (match === undefined) throw new StatusError('not_found', 'no such lease');
    return match;
  };
  const service = serve(LeaseService, {
    getLease: ({ order }) => ({ lease: find(order) }),
    listLeases: ({ owner, state, node, pageToken }) => {
      if (refusal !== undefined) throw refusal;
      const match = leases.filter(
        (each) =>
          (owner === '' || each.order?.owner === owner) &&
          (state === LeaseRunState.UNSPECIFIED || each.state === state) &&
          (node === '' || each.services.some(({ pods }) => pods.some((pod) => pod.node === node))),
      );
      // A page for each: all of them are read.
      const at = Number(pageToken);
      return { leases: match.slice(at, at + 1), nextPageToken: at + 1 < match.length ? String(at + 1) : '', total: BigInt(match.length) };
    },
    closeLease: ({ order, reason }) => {
      closed.push(`${orderText(order ?? {})}: ${reason}`);
      return {};
    },
    listHostnames: () => ({ hostnames: claimed }),
    listShells: ({ owner, order, pageToken }) => {
      const of = order === undefined ? undefined : orderText(order);
      const match = shells.filter(
        (each) => (owner === '' || each.order?.owner === owner) && (of === undefined || orderText(each.order ?? {}) === of),
      );
      const at = Number(pageToken);
      return { shells: match.slice(at, at + 1), nextPageToken: at + 1 < match.length ? String(at + 1) : '' };
    },
    transferHostname: ({ hostname, order, service: to }) => ({
      hostname: { hostname, owner: order?.owner ?? '', lease: orderText(order ?? {}), service: to, externalPort: 80, state: 'Held' },
    }),
    collectLeftovers: ({ dryRun }) => {
      if (dryRun) return { leftovers };
      removed += 1;
      return { leftovers: leftovers.map((each) => (each.fate === 'removable' ? { ...each, fate: 'removed' } : each)) };
    },
    transferAddress: () => ({}),
    submitManifest: () => ({}),
    previewManifest: () => ({}),
  });
  server = await startRpcServer({ services: [service] });
  vi.stubEnv('QUARTERMASTER_CLUSTER_SERVER', server.address);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop(0);
});

describe('shells', () => {
  it('are listed over all pages, and of one tenant', async () => {
    expect((await run('get', 'shells', '-o', 'name')).out).toBe('shell-0\nshell-1\nshell-2\n');
    const { out } = await run('get', 'shells', '--owner', 'akash1bob');
    expect(out.split('\n')).toEqual([
      'TIME                  LEASE            SERVICE  POD    FROM       PROOF  LASTED  OUTCOME',
      '2025-12-31 23:50:00Z  akash1bob/8/1/2  web      web-1  192.0.2.7  token  3s      0',
      '',
    ]);
  });
});

describe('running leases', () => {
  it('are listed over all pages, filtered, and by name', async () => {
    expect((await run('get', 'running-leases', '-o', 'name')).out).toBe('akash1ann/7/1/1\nakash1bob/8/1/2\n');
    expect((await run('get', 'rl', '--state', 'error', '-o', 'name')).out).toBe('akash1bob/8/1/2\n');
    expect((await run('get', 'rl', '--node', 'gpu-2', '-o', 'name')).out).toBe('akash1ann/7/1/1\n');
    expect((await run('get', 'running-lease', 'lease-akash1ann-7-1-1')).out).toContain('akash1ann/7/1/1  Active');
    const missing = await run('get', 'running-leases', 'akash1ann/7/1/1', 'nobody/1/1/1');
    expect(missing.exitCode).toBe(1);
    expect(missing.out).toContain('akash1ann/7/1/1');
    expect(missing.err).toContain('lease nobody/1/1/1 is not of this provider: "quartermaster get running-leases" lists those that are');
    expect((await run('get', 'rl', 'akash1ann/7/1/1', '--state', 'error')).err).toContain('filters cannot be combined with lease names');
  });

  it('are found by each of the names that a lease has', async () => {
    for (const name of ['akash1ann/7/1/1', 'akash1ann-7-1-1', 'lease-akash1ann-7-1-1', '7-1-1-akash1provider'])
      expect((await run('get', 'running-lease', name, '-o', 'name')).out).toBe('akash1ann/7/1/1\n');
    expect((await run('describe', 'running-lease', '7-1-1-akash1other')).err).toContain('lease 7-1-1-akash1other is not of this provider');
    const moved = await run('hostname', 'transfer', 'web.example', '--to', '8-1-2-akash1provider', '--service', 'api', '--yes');
    expect(moved.out).toContain('of lease akash1bob/8/1/2\n');
  });

  it('point a tenant to the view that is for tenants', async () => {
    refusal = new StatusError('permission_denied', 'the token of acme has the role tenant, which does not exist here');
    expect(await run('get', 'running-leases')).toEqual({
      exitCode: 1,
      out: '',
      err: 'quartermaster: this is the provider\'s view; "quartermaster get leases" shows yours\n',
    });
  });

  it('are described, for people and for programs', async () => {
    expect((await run('describe', 'running-lease', 'akash1ann/7/1/1')).out).toContain('Health     Healthy, 2 of 2 available');
    expect(JSON.parse((await run('describe', 'running-lease', 'akash1ann/7/1/1', '-o', 'json')).out)).toMatchObject({
      marketState: 'active',
    });
    expect((await run('describe', 'running-lease', 'x')).err).toContain('OWNER/DSEQ/GSEQ/OSEQ');
  });

  it('are described with how many shells were opened in them', async () => {
    expect((await run('describe', 'running-lease', 'akash1ann/7/1/1')).out).toMatch(/^Shells +2, last \d+d ago$/m);
    shells = [];
    expect((await run('describe', 'running-lease', 'akash1ann/7/1/1')).out).toMatch(/^Shells +none$/m);
  });

  it('are closed with a reason after the whole word, and not without a terminal', async () => {
    const alone = await run('close', 'running-lease', 'akash1ann/7/1/1');
    expect(alone).toMatchObject({ exitCode: 1 });
    expect(alone.err).toContain('2 pods of web on 2 nodes are stopped, and the data of 1 volume is deleted, and there is no terminal');
    const { output, texts } = written();
    const terminal = (answer: string) => ({
      input: Object.assign(new PassThrough().end(`${answer}\n`), { isTTY: true }),
      output: new PassThrough(),
    });
    const flags = { reason: 'the rack is moved', yes: false };
    await expect(closeRunningLease(['akash1ann/7/1/1'], flags, output, undefined, terminal('y'))).rejects.toThrow('nothing was closed');
    expect(closed).toEqual([]);
    await closeRunningLease(['akash1ann/7/1/1'], flags, output, undefined, terminal('yes'));
    expect(closed).toEqual(['akash1ann/7/1/1: the rack is moved']);
    expect(texts.out).toContain('lease akash1ann/7/1/1 closed; its workload is being removed');
  });
});

it('transfers a hostname to another lease', async () => {
  expect((await run('get', 'hostnames', '-o', 'name')).out).toBe('web.example\n');
  const moved = await run('hostname', 'transfer', 'web.example', '--to', 'akash1bob/8/1/2', '--service', 'api', '--yes');
  expect(moved).toMatchObject({ exitCode: 0, out: 'hostname web.example now belongs to service api of lease akash1bob/8/1/2\n', err: '' });
  const json = await run('hostname', 'transfer', 'web.example', '--to', 'akash1bob/8/1/2', '--service', 'api', '--yes', '-o', 'json');
  expect(JSON.parse(json.out)).toMatchObject({ hostname: { owner: 'akash1bob', service: 'api' } });
  expect((await run('hostname', 'transfer', 'web.example')).exitCode).not.toBe(0);
  // The question says whose it is, however the name is typed.
  const input = Object.assign(new PassThrough().end('n\n'), { isTTY: true });
  const asked = new PassThrough();
  const flags = { to: 'akash1bob/8/1/2', service: 'api', yes: false, output: 'text' } as const;
  const refused = transferHostname(['Web.Example'], flags, written().output, undefined, { input, output: asked });
  await expect(refused).rejects.toThrow('nothing was transferred');
  expect(String(asked.read())).toContain('Transfer Web.Example from akash1ann/7/1/1 to service api of lease akash1bob/8/1/2? [y/N]');
});

it('lists what is left of leases, and removes it only after a yes', async () => {
  const dry = await run('gc', '--dry-run');
  expect(dry.out).toContain('Namespace lease-x  x/1/1/1  removable  LeaseClosed');
  expect(dry.out).toContain('kept       Unknown: the market does not know it');
  const alone = await run('gc');
  expect(alone.exitCode).toBe(1);
  expect(alone.err).toContain('1 object would be removed for good, and there is no terminal to ask on: add --yes to confirm');
  expect(removed).toBe(0);
  expect((await run('gc', '--yes')).out).toContain('1 of 1 removed\n');
  expect(removed).toBe(1);
  leftovers = [];
  expect((await run('gc', '--yes')).out).toBe('No leftovers found.\n');
  expect(removed).toBe(1);
});
