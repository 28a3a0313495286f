import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { NodeFacts } from '@quartermaster/cluster';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { run, written } from '../fulfillment/test/run-program.ts';
import { getReservations } from './get-reservations.ts';
import { PlacingServer } from './test/placing-server.ts';
import { unreserve } from './unreserve.ts';

const executable = fileURLToPath(new URL('../../bin/quartermaster.mjs', import.meta.url));
const gib = 2 ** 30;
const h100 = { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80 * gib };

const node = (name: string, changed: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  uid: `uid-${name}`,
  heldBack: [],
  cpuMillis: 8000,
  memoryBytes: 64 * gib,
  ephemeralBytes: 500 * gib,
  cards: [{ resource: 'nvidia.com/gpu', assignedBy: 'plugin', size: 4, free: 4, mayBeFree: [h100] }],
  storageClasses: [],
  ...changed,
});

const small = 'cpu: 3\nmemory: 1Gi\n';
const twoCards = 'cpu: 2\nmemory: 8Gi\ngpu: { count: 2, model: h100 }\n';

let folder: string;
let server: PlacingServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-reservations-'));
  const closed = node('gpu-3', { heldBack: [{ code: 'Cordoned', message: 'is cordoned' }] });
  server = await PlacingServer.start([node('gpu-1'), node('gpu-2'), closed]);
  vi.stubEnv('QUARTERMASTER_CLUSTER_SERVER', server.address);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
  rmSync(folder, { recursive: true });
});

function file(content: string): string {
  const path = join(folder, 'request.yaml');
  writeFileSync(path, content);
  return path;
}

async function reserved(order: string, request = small): Promise<void> {
  expect(await run('reserve', order, '-f', file(request))).toMatchObject({ exitCode: 0, err: '' });
}

describe('explain fit', () => {
  it('shows where a request of a file would go, and takes nothing', async () => {
    const { exitCode, out, err } = await run('explain', 'fit', '-f', file(twoCards));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/^It fits: 1 replica on gpu-\d\.\n\nPlan\n {2}NODE .*\n {2}gpu-\d +1 +1 +2 +8 GiB +0 B +2 × h100 +-\n/);
    expect(out).toContain('2 of 3 nodes have room for a replica of every unit.\n');
    expect(server.size).toBe(0);
  });

  it('reads a request from standard input, and the code of the process says whether it fits', async () => {
    const asked = async (input: string) => {
      const command = spawn(process.execPath, [executable, 'explain', 'fit', '-f', '-', '-o', 'json'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      command.stdin.end(input);
      const [answer, [code]] = await Promise.all([text(command.stdout), once(command, 'close')]);
      return { code: Number(code), outcome: Object.keys(JSON.parse(answer) as object)[0] };
    };
    expect(await asked(small)).toEqual({ code: 0, outcome: 'plan' });
    expect(await asked('{"cpu": 100, "memory": "1Gi"}')).toEqual({ code: 1, outcome: 'refusal' });
  });

  it('takes a request by flags', async () => {
    const { exitCode, out } = await run('explain', 'fit', '--cpu', '2', '--memory', '8Gi', '--gpu', 'h100=4', '--replicas', '2');
    expect(exitCode).toBe(0);
    expect(out).toContain('It fits: 2 replicas on gpu-1, gpu-2.');
  });

  it('explains by node why a request does not fit, and what would; the exit code is 1', async () => {
    const { exitCode, out, err } = await run('explain', 'fit', '--cpu', '10', '--memory', '8Gi');
    expect(exitCode).toBe(1);
    expect(err).toBe('quartermaster: It does not fit: no single node can hold one replica\n');
    expect(out.split('\n')).toEqual([
      'It does not fit: no single node can hold one replica.',
      '',
      'Nodes',
      '  2 nodes: gpu-1, gpu-2',
      '    CPU: 10 cores needed, at most 8 cores free',
      '  1 node: gpu-3',
      '    is cordoned',
      '',
      'What would fit',
      '  Unit 1 fits with 8 cores instead of 10 cores for each replica.',
      '',
    ]);
  });

  it('names the reservations that would have to go', async () => {
    await reserved('ann/1/1/1', 'cpu: 5\nmemory: 1Gi\ncount: 2\n');
    const { out } = await run('explain', 'fit', '--cpu', '5', '--memory', '1Gi');
    expect(out).toMatch(
      /\n {2}It fits once this reservation is given back, in (?:1m|\d+s) at the latest unless it becomes active:\n {4}ann\/1\/1\/1\n/,
    );
    expect(out).toContain('at most 3 cores free');
  });

  it('names as many nodes as it is told to', async () => {
    expect((await run('explain', 'fit', '--cpu', '10', '--memory', '8Gi', '--max-names', '1')).out).toContain('2 nodes: gpu-1, 1 more');
  });

  it('is for programs as the contract has it, whether it fits or not', async () => {
    const fits = await run('explain', 'fit', '-f', file(twoCards), '-o', 'json');
    expect(JSON.parse(fits.out)).toMatchObject({ plan: { units: [{ cpuMillis: '2000' }] }, nodeGroups: [{ count: '2' }, { count: '1' }] });
    const not = await run('explain', 'fit', '--cpu', '10', '--memory', '8Gi', '-o', 'yaml');
    expect(parse(not.out)).toMatchObject({ refusal: { kind: 'REFUSAL_KIND_DOES_NOT_FIT' } });
    expect(not.exitCode).toBe(1);
  });

  it('refuses a request with the lines of the file, whoever finds what is wrong', async () => {
    const here = await run('explain', 'fit', '-f', file('cpu: lots\n'));
    expect(here.exitCode).toBe(2);
    expect(here.err).toContain('request.yaml:1: cpu: "lots" must be a decimal number');
    expect(here.err).toContain('request.yaml:1: memory: is required');
    const there = await run('explain', 'fit', '-f', file('units:\n  - cpu: 1m\n    count: 0\n    memory: 1Gi\n'));
    expect(there.exitCode).toBe(2);
    expect(there.err).toContain('request.yaml:3: units[0].count: is 0; it must be a whole number of replicas from 1 to 50');
    expect(there.err).toContain('request.yaml:2: units[0].cpu: is 1; it must be a whole number of millicores from 10 to 384000');
    const flag = await run('explain', 'fit', '--cpu', '1m', '--memory', '1Gi');
    expect(flag.err).toMatch(/^quartermaster: --cpu: is 1; it must be a whole number of millicores/);
  });

  it('names the way to a server that is away', async () => {
    vi.stubEnv('QUARTERMASTER_CLUSTER_SERVER', '127.0.0.1:1');
    const { exitCode, err } = await run('explain', 'fit', '--cpu', '1', '--memory', '1Gi');
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^quartermaster: no cluster service answers at 127\.0\.0\.1:1 .*QUARTERMASTER_CLUSTER_SERVER\n$/);
  });
});

describe('reserve and unreserve', () => {
  it('promise a part of the cluster, and give it back', async () => {
    const made = await run('reserve', 'ann/7/1/1', '-f', file(twoCards), '--lifetime', '5m');
    expect({ exitCode: made.exitCode, err: made.err }).toEqual({ exitCode: 0, err: '' });
    expect(made.out).toMatch(/^reservation ann\/7\/1\/1 stands on gpu-\d; it expires in [45]m\n {2}NODE /);
    expect((await run('reserve', 'ann/7/1/1', '-f', file(twoCards))).exitCode).toBe(0);
    expect(server.size).toBe(1);
    const other = await run('reserve', 'ann/7/1/1', '-f', file(small));
    expect(other).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('unreserve it before the order is reserved anew') });
    expect(await run('unreserve', 'ann/7/1/1')).toEqual({ exitCode: 0, out: 'reservation ann/7/1/1 given back\n', err: '' });
    expect(server.size).toBe(0);
    expect(await run('unreserve', 'ann/7/1/1')).toEqual({
      exitCode: 0,
      out: 'no reservation ann/7/1/1: nothing was given back\n',
      err: '',
    });
  });

  it('give back only the reservation that is meant', async () => {
    await reserved('ann/7/1/1');
    expect((await run('unreserve', 'ann/7/1/1', '--uid', 'another')).out).toBe(
      'no reservation ann/7/1/1 with the UID another: nothing was given back\n',
    );
    expect(server.size).toBe(1);
    expect(JSON.parse((await run('unreserve', 'ann/7/1/1', '--uid', 'uid-ann-7-1-1', '-o', 'json')).out)).toMatchObject({
      reservation: { uid: 'uid-ann-7-1-1' },
    });
    expect(JSON.parse((await run('unreserve', 'ann/7/1/1', '-o', 'json')).out)).toEqual({});
  });

  it('explain a refusal on standard error, by node, and write nothing', async () => {
    const { exitCode, out, err } = await run('reserve', 'ann/7/1/1', '--cpu', '10', '--memory', '1Gi');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toMatch(/^It does not fit: [\s\S]*\nNodes\n {2}2 nodes: gpu-1, gpu-2\n {4}CPU: 10 cores needed[\s\S]*\nWhat would fit\n/);
    expect(err).toMatch(/\n\nquartermaster: nothing was reserved: It does not fit: no single node can hold one replica\n$/);
    const machine = await run('reserve', 'ann/7/1/1', '--cpu', '10', '--memory', '1Gi', '-o', 'json');
    expect(JSON.parse(machine.out)).toMatchObject({ refusal: { kind: 'REFUSAL_KIND_DOES_NOT_FIT' } });
    expect(machine.exitCode).toBe(1);
    expect(server.size).toBe(0);
  });

  it('say in a dry run what would become of it', async () => {
    const fits = await run('reserve', 'ann/7/1/1', '-f', file(twoCards), '--dry-run');
    expect(fits.out).toMatch(
      /^reservation ann\/7\/1\/1 would be made \(dry run: nothing was written\)\nIt fits: 1 replica on gpu-\d\.\n {2}NODE /,
    );
    expect(server.size).toBe(0);
    expect((await run('reserve', 'ann/7/1/1', '--cpu', '10', '--memory', '1Gi', '--dry-run')).exitCode).toBe(1);
    await reserved('ann/7/1/1');
    expect((await run('reserve', 'ann/7/1/1', '-f', file(small), '--dry-run')).out).toMatch(
      / stands on .*\(dry run: nothing was written\)\n/,
    );
    const other = await run('reserve', 'ann/7/1/1', '-f', file(twoCards), '--dry-run');
    expect(other).toMatchObject({ exitCode: 1, err: expect.stringContaining('quartermaster unreserve ann/7/1/1') });
  });

  it.each([
    [['reserve', 'ann', '--cpu', '1', '--memory', '1Gi'], 'order "ann" must be OWNER/DSEQ/GSEQ/OSEQ'],
    [['reserve', 'ann/1/1/1'], 'say what is asked for: -f FILE'],
    [['reserve', 'ann/1/1/1', '--cpu', '1', '--memory', '1Gi', '--lifetime', 'long'], '--lifetime "long" must be a duration such as 90s'],
    [['unreserve', 'ann'], 'order "ann" must be OWNER/DSEQ/GSEQ/OSEQ'],
  ])('refuse %j as a mistake in the command line', async (args, message) => {
    const { exitCode, err } = await run(...args);
    expect(exitCode).toBe(2);
    expect(err).toContain(message);
  });

  it('ask a person before a reservation with a lease goes', async () => {
    await reserved('ann/7/1/1');
    server.activate('ann/7/1/1');
    const flags = { output: 'text', yes: false } as const;
    const answered = async (word: string) => {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      input.end(`${word}\n`);
      const { texts, output } = written();
      const question = new PassThrough();
      let failure = '';
      await unreserve(['ann/7/1/1'], flags, output, { input, output: question }).catch((thrown: unknown) => (failure = String(thrown)));
      return `${String(question.read())}${texts.out}${failure}`;
    };
    expect(await answered('no')).toMatch(
      /It has a lease in the namespace lease-7, and 0 of 1 replicas run\. \[y\/N\] .*nothing was given back/,
    );
    expect(server.size).toBe(1);
    expect(await answered('yes')).toContain('reservation ann/7/1/1 given back');
    expect(server.size).toBe(0);
  });
});

describe('get and describe reservations', () => {
  beforeEach(async () => {
    for (const order of ['ann/1/1/1', 'ann/2/1/1', 'bob/3/1/1']) await reserved(order);
  });

  it('list all pages, and those that match', async () => {
    const orders = async (...flags: string[]) => {
      const { exitCode, out } = await run('get', 'reservations', '-o', 'name', ...flags);
      expect(exitCode).toBe(0);
      return out.split('\n').slice(0, -1);
    };
    expect(await orders()).toEqual(['ann/1/1/1', 'ann/2/1/1', 'bob/3/1/1']);
    expect(await orders('--owner', 'ann')).toEqual(['ann/1/1/1', 'ann/2/1/1']);
    server.activate('bob/3/1/1');
    server.shrink('bob/3/1/1', 1000);
    expect(await orders('--phase', 'pending')).toEqual(['ann/1/1/1', 'ann/2/1/1']);
    expect(await orders('--phase', 'active')).toEqual(['bob/3/1/1']);
    expect(await orders('--condition', 'OverCommitted')).toEqual(['bob/3/1/1']);
    expect(await orders('--node', 'gpu-3')).toEqual([]);
    expect((await run('get', 'reservations', '--node', 'gpu-3')).out).toBe('No reservation matches.\n');
    expect((await run('get', 'capacity')).out).toMatch(/^CPU +9 +0 +9 +2 +2$/m);
    expect((await run('get', 'reservations')).out).toMatch(/bob\/3\/1\/1 +Active, over-committed +0 of 3 /);
    expect(JSON.parse((await run('get', 'rsv', '-o', 'json')).out)).toMatchObject({ reservations: [{ owner: 'ann' }, {}, {}] });
    // More than a page has.
    server.repeat('bob/3/1/1', 1001);
    expect(await orders('--owner', 'bob')).toHaveLength(1002);
  });

  it('show those that are named, and then say which do not exist', async () => {
    const { exitCode, out, err } = await run('get', 'reservations', 'bob/3/1/1', 'eve/1/1/1', '-o', 'name');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: 'bob/3/1/1\n' });
    expect(err).toBe('quartermaster: reservation eve/1/1/1 does not exist: "quartermaster get reservations" lists those that do\n');
    expect((await run('get', 'reservations', 'bob/3/1/1', '--owner', 'ann')).exitCode).toBe(2);
  });

  it('know a reservation by the name of its object, too', async () => {
    for (const order of ['Eve&Co/4/1/1', 'EVE/5/1/1', 'Eve/5/1/1']) await reserved(order, 'cpu: 100m\nmemory: 1Gi\n');
    expect((await run('describe', 'reservation', 'ann-2-1-1')).out).toMatch(/^Reservation +ann\/2\/1\/1\n/);
    expect((await run('describe', 'reservation', 'eveco.1f2e3d-4-1-1')).out).toMatch(/^Reservation +Eve&Co\/4\/1\/1\n/);
    expect(await run('describe', 'reservation', 'eve.1f2e3d-5-1-1')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('say EVE/5/1/1 or Eve/5/1/1'),
    });
    expect(await run('describe', 'reservation', 'ann-9-1-1')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('does not exist'),
    });
    expect(await run('describe', 'reservation', 'nonsense')).toMatchObject({ exitCode: 2, err: expect.stringContaining('must be OWNER/') });
  });

  it('describe one with its request as a file that asks for the same again', async () => {
    const { out } = await run('describe', 'reservation', 'ann/1/1/1');
    expect(out).toMatch(/State +Pending\n/);
    const request = /\nRequest\n((?: {2}.*\n)+)/.exec(out)?.[1] ?? '';
    expect(await run('reserve', 'ann/1/1/1', '-f', file(request))).toMatchObject({ exitCode: 0 });
    expect(await run('describe', 'reservation', 'eve/1/1/1')).toMatchObject({ exitCode: 1, out: '' });
  });

  it('complete orders, owners and nodes', async () => {
    vi.stubEnv('QUARTERMASTER_TEST_COMPLETION_MS', '60000');
    const completed = async (line: string) => (await run('__complete', '--line', `quartermaster ${line}`)).out.split('\n');
    expect(await completed('describe reservation a')).toEqual(['ann/1/1/1', 'ann/2/1/1', ':none', '']);
    expect(await completed('unreserve b')).toEqual(['bob/3/1/1', ':none', '']);
    expect(await completed('get reservations --owner ')).toEqual(['ann', 'bob', ':none', '']);
    expect(await completed('get reservations --node gpu')).toEqual(['gpu-1', 'gpu-2', ':none', '']);
  });

  it('follow changes, also over a restart of the service', async () => {
    const ended = new AbortController();
    const { texts, output } = written();
    const watching = getReservations([], { output: 'json', watch: true }, output, ended.signal);
    const events = () =>
      texts.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { event: string; key: string });
    await expect.poll(() => events().length).toBe(3);
    await run('unreserve', 'ann/1/1/1');
    await expect.poll(() => events()[3]).toMatchObject({ event: 'removed', key: 'ann/1/1/1' });
    await server.stop();
    await expect.poll(() => texts.err).toContain('stale since');
    await server.listen();
    server.activate('bob/3/1/1');
    await expect.poll(() => events()[4]).toMatchObject({ event: 'changed', key: 'bob/3/1/1' });
    await expect.poll(() => texts.err).toContain('live again');
    ended.abort();
    await watching;
  });
});
