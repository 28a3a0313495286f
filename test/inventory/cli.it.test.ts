import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeInventory } from '@quartermaster/inventory/testing';
import { StatusError, systemRandom } from '@quartermaster/kernel';
import type { Authenticate } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { freePorts } from '../kube/free-ports.ts';
import { RunningCommand } from '../up/running-command.ts';
import { quartermaster, quartermasterInProcess } from '../up/running-up.ts';
import { allocations, allocationsFor, fillInventory, gpuNode } from './cli-inventory.ts';
import { type ServedInventory, serveInventory } from './serve-inventory.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quartermaster-cli-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function serve(options: Parameters<typeof serveInventory>[0] = {}): Promise<ServedInventory> {
  const served = await serveInventory({ allocations: allocationsFor, ...options });
  fillInventory(served);
  return served;
}

const patience = { timeout: 30_000, interval: 50 };

describe('the command line of the inventory', { timeout: 180_000 }, () => {
  let served: ServedInventory;
  const ask = (...args: string[]) => quartermasterInProcess(...args, '--server', served.servers.grpc);

  beforeAll(async () => {
    served = await serve();
  });
  afterAll(async () => {
    await served.stop();
  });

  it('shows nodes as a table, wide and exact', async () => {
    const { stdout, stderr, exitCode } = await ask('get', 'nodes');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'NAME   STATE                               CPU               MEMORY           EPHEMERAL      GPU         STORAGE',
      'gpu-1  Sellable                            96/12.5/83.5      512/120/392 GiB  400/0/360 GiB  h100 8/3/4  beta3,local-path',
      'gpu-2  Held back: cordoned, disk pressure  16/20/0 (4 over)  64/2/58 GiB      400/0/360 GiB  h100 8/8/0  -',
      'old-1  Unknown: silent                     16/3.1/?          64/2/? GiB       400/0/? GiB    -           -',
    ]);
    expect(stdout).toMatch(/^Sellable +1 .*\nHeld back +1 .*\nUnknown +1 /m);
    expect((await ask('get', 'nodes', '-o', 'wide')).stdout).toContain('Cordoned, DiskPressure');
    expect((await ask('get', 'nodes', '--exact')).stdout).toContain('96000/12500/83500');
  });

  it('says the same as a process of its own, and finds the server in the environment as well', async () => {
    const { stdout } = await quartermaster(['get', 'nodes', 'gpu-1'], { QUARTERMASTER_SERVER: served.servers.grpc });
    expect(stdout).toContain('gpu-1  Sellable');
    expect(stdout).not.toContain('gpu-2');
    expect(await quartermaster(['get', 'storage', '--server', served.servers.grpc])).toEqual(await ask('get', 'storage'));
    const failure = await quartermaster(['describe', 'node', 'nope', '--server', served.servers.grpc]);
    expect(failure).toEqual(await ask('describe', 'node', 'nope'));
  });

  it('prints what programs read, as the contract names it', async () => {
    const json = JSON.parse((await ask('get', 'nodes', '-o', 'json')).stdout) as unknown;
    expect(json).toMatchObject({
      clusterId: 'c1',
      nodes: [{ name: 'gpu-1', cpu: { available: '83500' } }, { name: 'gpu-2' }, { name: 'old-1', sellability: 'SELLABILITY_UNKNOWN' }],
      totals: { sellableNodes: '1', heldBackNodes: '1', unknownNodes: '1' },
    });
    expect(parse((await ask('get', 'nodes', '-o', 'yaml')).stdout)).toEqual(json);
    expect(JSON.parse((await ask('get', 'storage', '-o', 'json')).stdout)).toMatchObject({ storage: [{ name: 'beta3' }, {}, {}] });
    expect(JSON.parse((await ask('get', 'gpus', '-o', 'json')).stdout)).toMatchObject({
      models: [{ key: 'nvidia/h100/SXM5/80Gi' }],
      devices: [{ id: 'GPU-aaaa', node: 'gpu-1' }, { id: 'GPU-bbbb' }],
    });
  });

  it('shows GPUs and storage', async () => {
    expect((await ask('get', 'gpus')).stdout).toMatch(/^h100 +nvidia +80 GiB +SXM5 +16 +4 +11 +1 +0$/m);
    expect((await ask('get', 'gpus', '-o', 'wide')).stdout).toMatch(/^gpu-1 +GPU-aaaa .* Healthy, allocated +- +lease-1\/train-0$/m);
    const { stdout } = await ask('get', 'storage');
    expect(stdout).toMatch(/^beta3 +rook-ceph +beta3 +8 TiB +5\.2 TiB +300 GiB +3 +yes$/m);
    expect(stdout).toMatch(/^nfs +- +\? +\? +\? +0 B +\? +no: NoQuerier$/m);
  });

  it('shows who holds what, by node, namespace, lease and device', async () => {
    const pods = async (...filter: string[]): Promise<readonly string[]> => {
      const { allocations: found } = JSON.parse((await ask('get', 'allocations', '-o', 'json', ...filter)).stdout) as {
        allocations: { pod: string }[];
      };
      return found.map(({ pod }) => pod);
    };
    const label = 'akash.network/lease.id.dseq';
    expect(await pods()).toEqual(['train-0', 'web']);
    expect(await pods('--node', 'gpu-2')).toEqual(['web']);
    expect(await pods('--namespace', 'lease-1', '--lease', `${label}=42`, '--device', 'GPU-aaaa')).toEqual(['train-0']);
    expect(await pods('--lease', label)).toEqual(['train-0']);
    expect(await pods('--lease', `${label}=43`)).toEqual([]);
  });

  it('describes a node and explains nodes, GPUs and classes', async () => {
    const { stdout } = await ask('describe', 'node', 'gpu-1');
    for (const part of ['Xeon Platinum 8480+', 'GPU-bbbb: XidErrors', 'PM9A3', 'mlx5_0', 'train-0', 'local-path  this node']) {
      expect(stdout).toContain(part);
    }
    // What to do is said once.
    expect((await ask('explain', 'node', 'gpu-2')).stdout.split('kubectl uncordon gpu-2')).toHaveLength(2);
    expect((await ask('explain', 'gpu', 'h100')).stdout).toMatch(/^gpu-1 +Sellable +8 +7 +3 +4 +-$/m);
    expect((await ask('explain', 'class', 'nfs')).stdout).toContain('nfs is not offered: NoQuerier.');
    expect(JSON.parse((await ask('explain', 'class', 'nfs', '-o', 'json')).stdout)).toMatchObject({ subject: 'class nfs' });
  });

  it('says in one line what is wrong and what to do', async () => {
    expect(await ask('describe', 'node', 'nope')).toEqual({
      stdout: '',
      stderr: 'quartermaster: node nope does not exist: "quartermaster get nodes" lists those that do\n',
      exitCode: 1,
    });
    expect(await ask('get', 'nodes', 'gpu-1', 'nope')).toMatchObject({
      stdout: expect.stringContaining('gpu-1'),
      stderr: expect.stringMatching(/^quartermaster: node nope does not exist: .*\n$/),
      exitCode: 1,
    });
    expect(await ask('get', 'allocations', '--lease', '=x')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^.*lease_label.*\n$/),
    });
    expect(await quartermasterInProcess('get', 'nodes', '--server', 'no/where')).toMatchObject({ exitCode: 2 });
    expect(await quartermasterInProcess('get', 'nodes', '--data-dir', folder)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^quartermaster: nothing runs on .*--server ADDRESS or QUARTERMASTER_SERVER\n$/),
    });
    expect(await quartermasterInProcess('get', 'nodes', '--server', '127.0.0.1:1')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^quartermaster: no inventory answers at 127\.0\.0\.1:1 .*\n$/),
    });
  });
});

describe('--watch', { timeout: 180_000 }, () => {
  let served: ServedInventory | undefined;
  const running: RunningCommand[] = [];
  const start = (...args: string[]): RunningCommand => {
    const command = new RunningCommand([...args, '--watch', '--server', served?.servers.grpc ?? '']);
    running.push(command);
    return command;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((command) => command.interrupt()));
    await served?.stop();
    served = undefined;
  });

  const shrink = (target: ServedInventory): void => {
    target.inventory.setNode({ ...gpuNode, cpu: { ...gpuNode.cpu, allocated: 20_000, available: 76_000 } });
    target.feed.touch('nodes');
  };

  it('shows a change as it happens, survives a restart of the server, and takes nothing back meanwhile', async () => {
    // Not one that a system gives to outgoing connections: it must be free again after the restart.
    const [port = 0] = await freePorts(1, systemRandom);
    served = await serve({ grpcPort: port });
    const table = start('get', 'nodes');
    const events = start('get', 'nodes', '-o', 'json');
    await expect.poll(() => table.out, patience).toContain('Amounts are');
    await expect.poll(() => events.out, patience).toContain('old-1');
    shrink(served);
    await expect.poll(() => table.out, patience).toMatch(/Amounts are .*\ngpu-1 +Sellable +96\/20\/76 /);
    await expect.poll(() => events.out.split('\n').map(eventOf), patience).toContainEqual({ event: 'changed', key: 'gpu-1' });

    await served.stop();
    await expect.poll(() => table.err, patience).toMatch(/stale since \S+ \S+Z \(\d+s\): .*; trying again\n/);
    const before = table.out;
    served = await serve({ grpcPort: port });
    shrink(served);
    served.inventory.removeNode('old-1');
    served.feed.touch('nodes');
    await expect.poll(() => table.err, patience).toContain('live again');
    await expect.poll(() => table.out, patience).toContain('old-1  gone\n');
    expect(table.out.slice(before.length)).not.toContain('gpu-2');
    await expect.poll(() => events.out.split('\n').map(eventOf), patience).toContainEqual({ event: 'removed', key: 'old-1' });
    expect(await table.interrupt()).toBe(0);
  });

  it('follows allocations as well, as a stream of YAML documents', async () => {
    let held = allocations;
    served = await serve({ allocations: () => held });
    const command = start('get', 'allocations', '-o', 'yaml');
    await expect.poll(() => command.out, patience).toContain('train-0');
    held = held.slice(1);
    shrink(served);
    await expect.poll(() => command.out, patience).toContain('event: removed');
    expect(parseAllDocuments(command.out).map((document) => (document.toJS() as { event: string; key: string }).key)).toEqual([
      'uid-train-0',
      'uid-web',
      'uid-train-0',
    ]);
  });

  it('waits for a server that is not there yet', async () => {
    const [port = 0] = await freePorts(1, systemRandom);
    served = await serve({ grpcPort: port });
    await served.stop();
    const command = start('get', 'gpus');
    await expect.poll(() => command.err, patience).toMatch(/nothing heard yet: no inventory answers at .*; trying again\n/);
    served = await serve({ grpcPort: port });
    await expect.poll(() => command.out, patience).toContain('h100');
  });

  it('ends quietly when nobody reads any more', async () => {
    served = await serve();
    const command = start('get', 'nodes');
    await expect.poll(() => command.out, patience).toContain('Amounts are');
    command.closeOutput();
    shrink(served);
    expect(await command.exitCode()).toBe(0);
    expect(command.err).toBe('');
  });
});

describe('a command whose reader has seen enough', { timeout: 180_000 }, () => {
  it('ends quietly, without --watch, too', async () => {
    const served = await serve();
    onTestFinished(() => served.stop());
    for (let i = 0; i < 200; i += 1) served.inventory.setNode(nodeInventory(`n-${i}`));
    served.feed.touch('nodes');
    const command = new RunningCommand(['get', 'nodes', '-o', 'json', '--server', served.servers.grpc]);
    command.closeOutput();
    expect(await command.exitCode()).toBe(0);
    expect(command.err).toBe('');
  });
});

describe('a server beyond TLS', { timeout: 180_000 }, () => {
  it('is believed when its authority is named and shown the token, and otherwise refused with the way out', async () => {
    const authority = await createCertificateAuthority('test');
    const pair = await authority.issueServer({ commonName: 'inventory', hosts: ['127.0.0.1'] });
    const path = (name: string): string => join(folder, name);
    await Promise.all([
      writeFile(path('tls.crt'), pair.certificate),
      writeFile(path('tls.key'), pair.key),
      writeFile(path('ca.crt'), authority.certificate),
      writeFile(path('token'), 'secret\n'),
      writeFile(path('wrong-ca.crt'), (await createCertificateAuthority('other')).certificate),
    ]);
    const tls = { certFile: path('tls.crt'), keyFile: path('tls.key') };
    const callers: Authenticate = ({ token }) => {
      if (token !== 'secret') throw new StatusError('unauthenticated', 'send a token');
      return { kind: 'token', name: 'me', groups: [] };
    };
    const served = await serve({ tls, callers });
    const ask = (...args: string[]) => quartermasterInProcess('get', 'gpus', '--server', served.servers.grpc, ...args);
    try {
      expect((await ask('--ca-file', path('ca.crt'), '--token-file', path('token'))).stdout).toContain('h100');
      expect(await ask('--ca-file', path('ca.crt'))).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--token-file') });
      expect(await ask('--insecure-skip-tls-verify', '--token-file', path('token'))).toMatchObject({
        stdout: expect.stringContaining('h100'),
        stderr: 'quartermaster: the certificate of the server is not verified: the answers may come from anybody\n',
      });
      expect(await ask('--ca-file', path('wrong-ca.crt'))).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--ca-file') });
    } finally {
      await served.stop();
    }
  });
});

/** The event of a line without its object. */
function eventOf(line: string): unknown {
  if (line === '') return undefined;
  const { event, key } = JSON.parse(line) as { readonly event: string; readonly key: string };
  return { event, key };
}
