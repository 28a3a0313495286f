import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Deployments, OwnerKeys, ProviderMarket, Sdl } from '@quartermaster/api/market';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { startTestMarket, type TestMarket } from '@quartermaster/market/testing';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getObjects } from '../fulfillment/read/get-objects.ts';
import { watchEvents } from '../fulfillment/read/run-watch.ts';
import { LoginFolder } from '../fulfillment/test/login-folder.ts';
import { run, written } from '../fulfillment/test/run-program.ts';
import type { Output } from '../text/output.ts';
import { closeObject } from './close.ts';
import { deploy } from './deploy.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}.yaml`, import.meta.url));
const gpu = example('gpu');

let market: TestMarket;
let folder: LoginFolder;
let tokenFile: string;

beforeAll(async () => {
  market = await startTestMarket({ terms: { choiceDelayMs: 0 } });
  folder = LoginFolder.make();
  tokenFile = folder.file('acme.token', `${await market.token({ name: 'ann', role: 'tenant', groups: ['acme'] })}\n`);
});

afterAll(async () => {
  await market.stop();
  folder.remove();
});

beforeEach(() => {
  folder.use();
  vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.grpcAddress);
  vi.stubEnv('QUARTERMASTER_MARKET_TOKEN', readFileSync(tokenFile, 'utf8').trim());
});
afterEach(() => vi.unstubAllEnvs());

interface Deployed {
  readonly deployment: { readonly id: string; readonly status: { readonly groups: readonly object[] } };
}

/** The id of a new deployment that waits for its tenant. */
async function deployed(file = gpu, ...more: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await run('deploy', file, '--choice', 'tenant', '-o', 'json', ...more);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return (JSON.parse(out) as Deployed).deployment.id;
}

async function bid(dseq: string, provider: string, amount: string): Promise<void> {
  const order = { owner: 'acme', dseq: BigInt(dseq), gseq: 1, oseq: 1 };
  await market
    .provider(provider)
    .client(ProviderMarket)
    .createBid({ order, price: { denom: 'uakt', amount } });
}

/** The provider says that the lease runs, once there is one. */
async function running(dseq: string, provider = 'p1'): Promise<void> {
  const order = { owner: 'acme', dseq: BigInt(dseq), gseq: 1, oseq: 1 };
  const at = { seconds: 1_800_000_000n, nanos: 0 };
  const services = [{ name: 'notebook', count: 1, available: 1, uris: ['notebook.example.com'] }];
  const delivery = { state: 'Active', health: 'healthy', message: 'everything runs', runningAt: at, services };
  const client = market.provider(provider).client(ProviderMarket);
  await vi.waitFor(() => client.reportDelivery({ order, delivery }), soon);
}

const flags = { choice: 'cheapest', wait: true, dryRun: false, output: 'text' } as const;
const soon = { timeout: 20_000 };

/** A deployment whose `--timeout` of 20 s is over when a test says so. */
const deployUntil = (clock: FakeClock, file: string, output: Output) =>
  deploy([file], { ...flags, timeout: '20s' }, output, new AbortController().signal, clock).catch((thrown: unknown) => thrown);

describe('deploy', () => {
  it('makes a deployment and says what was ordered, what it costs at most and how to go on', async () => {
    const { exitCode, out, err } = await run('deploy', gpu, '--choice', 'tenant', '--name', 'notebook');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const [, id = ''] = /^deployment (\d+) created\n/.exec(out) ?? [];
    expect(out.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^GROUP +ORDER +SERVICES +RESOURCES +AT MOST PER BLOCK +AT MOST PER MONTH$/),
      expect.stringMatching(
        new RegExp(
          `^anywhere +${id}-1-1 +notebook × 1 \\(quay.io/\\S+\\) +CPU 2, memory 8 GiB, ephemeral storage 20 GiB, 1 × nvidia t4 +10000 uakt +4383 AKT$`,
        ),
      ),
      '',
      'It costs at most 10000 uakt per block, 4383 AKT per month.',
      `"quartermaster describe deployment ${id}" shows who bids; accept a bid with "quartermaster accept BID".`,
      '',
    ]);
    const { object } = await market.tenant('acme').client(Deployments).get({ id });
    expect(object).toMatchObject({ metadata: { name: 'notebook' }, status: { owner: 'acme' } });
  });

  it('shows what it would order, and orders nothing', async () => {
    const count = async () => (await market.admin.client(Deployments).list({ limit: 0 })).total;
    const before = await count();
    const { exitCode, out } = await run('deploy', example('storage'), '--dry-run');
    expect(exitCode).toBe(0);
    expect(out).toContain('database × 1 (postgres:18), shop × 1 (ghcr.io/example/shop:2)');
    expect(out).toContain('CPU 1.3, memory 2.5 GiB, ephemeral storage 1.5 GiB, storage class beta3 10 GiB');
    expect(out).toMatch(/It costs at most 3000 uakt per block, 1314\.9 AKT per month\.\nDry run: nothing was ordered\.\n$/);
    const answer = JSON.parse((await run('deploy', gpu, '--dry-run', '--json')).out) as Deployed;
    expect(answer.deployment.status.groups).toMatchObject([{ name: 'anywhere', spec: { max_price: { amount: '10000' } } }]);
    expect(await count()).toBe(before);
  });

  it('tells every fault with file, line and column, as compilers do; the exit code is 2', async () => {
    const bad = folder.file('bad.yaml', readFileSync(gpu, 'utf8').replace('port: 8888', 'port: 99999').replace('count: 1', 'count: none'));
    const { exitCode, out, err } = await run('deploy', bad);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(new RegExp(`^${bad}:\\d+:\\d+: /services/notebook/expose/0/port: .+ \\(\\w+\\)$`));
    expect(lines[1]).toMatch(new RegExp(`^${bad}:\\d+:\\d+: /deployment/notebook/anywhere/count: .+ \\(\\w+\\)$`));
    expect(lines[2]).toBe(`quartermaster: ${bad} has 2 faults: nothing was deployed`);
    const line = Number(/:(\d+):\d+: /.exec(lines[0] ?? '')?.[1]);
    expect(readFileSync(bad, 'utf8').split('\n')[line - 1]).toContain('port: 99999');
    const machine = await run('deploy', bad, '--json');
    expect(machine.exitCode).toBe(2);
    expect(JSON.parse(machine.out)).toMatchObject({
      faults: [{ path: '/services/notebook/expose/0/port', line }, { code: expect.any(String) }],
    });
  });

  it('is told for which tenant, by who has none or several', async () => {
    const admin = folder.file('root.token', await market.token({ name: 'root', role: 'admin' }));
    const { exitCode, err } = await run('deploy', gpu, '--token-file', admin);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/must be exactly one tenant, whose account it is for; name one, with --tenant NAME\n$/);
    const { out } = await run('deploy', gpu, '--token-file', admin, '--tenant', 'acme', '--json');
    expect(JSON.parse(out)).toMatchObject({ deployment: { status: { owner: 'acme' } } });
  });

  it('says what it cannot read, and what it cannot take', async () => {
    expect(await run('deploy', '/nowhere.yaml')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/^quartermaster: \/nowhere\.yaml cannot be read: ENOENT/),
    });
    expect(await run('deploy', gpu, '--wait', '--timeout', 'long')).toMatchObject({
      exitCode: 2,
      err: 'quartermaster: --timeout "long" must be a duration such as 90s, 10m or 1h30m\n',
    });
    expect(await run('deploy', gpu, '--tenant', 'other')).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('other') });
  });

  it('waits until the lease runs, and tells of orders, bids and what the provider says on the way', async () => {
    const { texts, output } = written();
    const deploying = deploy([gpu], flags, output, new AbortController().signal);
    await vi.waitFor(() => expect(texts.out).toMatch(/\norder \d+-1-1 \(group anywhere\): open\n/), soon);
    const id = /^deployment (\d+)/.exec(texts.out)?.[1] ?? '';
    await bid(id, 'p1', '25.5');
    await vi.waitFor(() => expect(texts.out).toMatch(/, active\n$/), soon);
    const order = { owner: 'acme', dseq: BigInt(id), gseq: 1, oseq: 1 };
    const delivery = { state: 'Pending', health: 'none', reason: 'Deploying', message: 'objects are being made' };
    await market.provider('p1').client(ProviderMarket).reportDelivery({ order, delivery });
    await vi.waitFor(() => expect(texts.out).toMatch(/objects are being made\n$/), soon);
    await running(id);
    await deploying;
    expect(texts.err).toBe('');
    expect(texts.out).toContain(`bid ${id}-1-1-p1: 25.5 uakt per block, 11.17665 AKT per month, won\n`);
    expect(texts.out.split('\n').slice(-4)).toEqual([
      `lease ${id}-1-1-p1: 25.5 uakt per block, 11.17665 AKT per month, active`,
      `lease ${id}-1-1-p1: Pending: objects are being made`,
      `lease ${id}-1-1-p1: Active, healthy; notebook 1/1 at notebook.example.com`,
      '',
    ]);
  });

  it('gives programs one document of what came of it', async () => {
    const { texts, output } = written();
    const deploying = deploy([gpu], { ...flags, output: 'json', name: 'for-programs' }, output, new AbortController().signal);
    const list = () => market.tenant('acme').client(Deployments).list({ filter: 'this.metadata.name == "for-programs"' });
    await vi.waitFor(async () => expect((await list()).items).toHaveLength(1), soon);
    const [{ id } = { id: '' }] = (await list()).items;
    await bid(id, 'p1', '25');
    await running(id);
    await deploying;
    expect(JSON.parse(texts.out)).toMatchObject({
      deployment: { kind: 'Deployment', id },
      orders: [{ id: `${id}-1-1`, status: { state: 'ORDER_STATE_ACTIVE' } }],
      bids: [{ id: `${id}-1-1-p1` }],
      leases: [{ id: `${id}-1-1-p1`, status: { state: 'LEASE_STATE_ACTIVE' } }],
    });
    expect(texts.out).not.toContain('jupyter/pytorch-notebook:cuda12-2026-01-05\\n');
  });

  it('says whose order was closed without a lease, and why', async () => {
    const { texts, output } = written();
    const deploying = deploy([gpu], flags, output, new AbortController().signal).catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(texts.out).toMatch(/: open\n/), soon);
    const id = /^deployment (\d+)/.exec(texts.out)?.[1] ?? '';
    await market.tenant('acme').client(Deployments).close({ id, reason: 'changed my mind' });
    expect(await deploying).toMatchObject({
      code: 'failed_precondition',
      message: `order ${id}-1-1 was closed without a lease: changed my mind; "quartermaster describe deployment ${id}" shows it`,
    });
    expect(texts.out).toContain(`order ${id}-1-1 (group anywhere): closed: changed my mind\n`);
  });

  it('waits for a market that is away, and goes on where another replica of it serves', async () => {
    const replica = await startTestMarket({ replicaOf: market });
    vi.stubEnv('QUARTERMASTER_MARKET_SERVER', replica.grpcAddress);
    const { texts, output } = written();
    const deploying = deploy([gpu], flags, output, new AbortController().signal);
    await vi.waitFor(() => expect(texts.out).toMatch(/: open\n/), soon);
    await replica.stop();
    await vi.waitFor(() => expect(texts.err).toMatch(/^quartermaster: .+; trying again\n/), soon);
    vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.grpcAddress);
    const id = /^deployment (\d+)/.exec(texts.out)?.[1] ?? '';
    await bid(id, 'p1', '25');
    await running(id);
    await deploying;
    expect(texts.out).toMatch(new RegExp(`\nlease ${id}-1-1-p1: .* active\nlease .* healthy; `));
  });

  it('says what keeps a lease from running when the time is over, and what the provider refuses at once', async () => {
    const clock = new FakeClock();
    const started = async () => {
      const { texts, output } = written();
      const deploying = deployUntil(clock, gpu, output);
      await vi.waitFor(() => expect(texts.out).toMatch(/: open\n/), soon);
      const id = /^deployment (\d+)/.exec(texts.out)?.[1] ?? '';
      await bid(id, 'p1', '25');
      await vi.waitFor(() => expect(texts.out).toMatch(/\nlease .*, active\n/), soon);
      return { id, deploying };
    };
    const silent = await started();
    await clock.advance(20_000);
    expect(await silent.deploying).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(
        `lease ${silent.id}-1-1-p1 does not run yet: its provider has not reported on it yet; the deployment stays`,
      ),
    });
    const { id, deploying } = await started();
    const order = { owner: 'acme', dseq: BigInt(id), gseq: 1, oseq: 1 };
    const delivery = { state: 'Pending', health: 'none', refusal: 'the hostname is taken' };
    const client = market.provider('p1').client(ProviderMarket);
    await vi.waitFor(() => client.reportDelivery({ order, delivery }), soon);
    expect(await deploying).toMatchObject({
      code: 'failed_precondition',
      message: `the provider of lease ${id}-1-1-p1 refuses the manifest: the hostname is taken; "quartermaster lease update ${id} FILE" sends another`,
    });
  });

  it('says that the deployment stays when a person interrupts it', async () => {
    const { texts, output } = written();
    const ended = new AbortController();
    const deploying = deploy([gpu], flags, output, ended.signal).catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(texts.out).toMatch(/: open\n/), soon);
    ended.abort();
    expect(await deploying).toMatchObject({
      message: expect.stringMatching(/^interrupted; order .* is still open: .*; the deployment stays: /),
    });
  });

  it('says that it is not known what became of a deployment whose answer never came', async () => {
    const lost = () => Promise.reject(new StatusError('unavailable', 'the connection broke'));
    const services = [
      serve(Sdl, { check: () => ({}) }),
      serve(Deployments, { create: lost, list: lost, get: lost, update: lost, preview: lost, close: lost }),
    ];
    const server = await startRpcServer({ services });
    const { exitCode, err } = await run('deploy', gpu, '--server', server.address);
    await server.stop(0);
    expect(exitCode).toBe(1);
    expect(err).toBe(
      'quartermaster: the connection broke; it may have been deployed all the same: see "quartermaster get deployments" before you deploy it again\n',
    );
  });

  it('ends with 1 when nobody has bid in time, and leaves the deployment', async () => {
    const { texts, output } = written();
    const clock = new FakeClock();
    const deploying = deployUntil(clock, example('too-large'), output);
    await vi.waitFor(() => expect(texts.out).toMatch(/: open\n/), soon);
    await clock.advance(20_000);
    const id = /^deployment (\d+)/.exec(texts.out)?.[1] ?? '';
    expect(await deploying).toMatchObject({
      code: 'unavailable',
      message: `timed out; order ${id}-1-1 is still open: nobody has bid (a provider sees why with "quartermaster explain bid acme/${id}/1/1"); the deployment stays: "quartermaster describe deployment ${id}" shows it`,
    });
    expect((await run('get', 'deployment', id)).out).toMatch(/ Active /);
    // So little time that the market may not even have answered: it is a failure all the same.
    const hasty = await run('deploy', example('too-large'), '--wait', '--timeout', '1ms');
    expect(hasty).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^quartermaster: .*; the deployment stays: .*\n$/) });
  });
});

describe('get, describe and watch', () => {
  it('list what the market has, the newest first, with prices by block and month', async () => {
    const id = await deployed();
    await bid(id, 'p1', '25');
    await bid(id, 'p2', '30');
    const list = async (...args: string[]) => (await run('get', ...args)).out.split('\n');
    const [header, first] = await list('deployments');
    expect(header).toMatch(/^ID +NAME +STATE +GROUPS +AT MOST PER BLOCK +AT MOST PER MONTH +AGE$/);
    expect(first).toMatch(new RegExp(`^${id} +- +Active +anywhere +10000 uakt +4383 AKT +\\d+s$`));
    expect((await list('orders', `${id}-1-1`))[1]).toMatch(
      new RegExp(`^${id}-1-1 +Open +anywhere +CPU 2, .* 10000 uakt +4383 AKT +2 +in (23h|1d) +\\d+s$`),
    );
    const bids = await list('bids', '--filter', `this.id.startsWith("${id}-")`, '--order', 'id');
    expect(bids[1]).toMatch(new RegExp(`^${id}-1-1-p1 +Open +p1 +25 uakt +10\\.9575 AKT +\\d+s$`));
    expect(bids[2]).toMatch(/ p2 +30 uakt +13\.149 AKT /);
    expect(await run('get', 'leases', `${id}-1-1-p1`)).toMatchObject({ exitCode: 1, err: expect.stringContaining('get leases') });
    expect(JSON.parse((await run('get', 'deployment', id, '-o', 'json')).out)).toMatchObject({
      kind: 'Deployment',
      id,
      spec: { choice: 'BID_CHOICE_TENANT' },
    });
  });

  it('show the SDL to its owner alone, who asks for it', async () => {
    const id = await deployed();
    const comment = 'more models may be listed';
    expect(readFileSync(gpu, 'utf8')).toContain(comment);
    expect((await run('get', 'deployment', id, '-o', 'json')).out).not.toContain(comment);
    const shown = await run('get', 'deployment', id, '--reveal', '-o', 'json');
    expect(JSON.parse(shown.out)).toMatchObject({ spec: { sdl: readFileSync(gpu, 'utf8') } });
    const admin = folder.file('admin.token', await market.token({ name: 'root', role: 'admin' }));
    expect((await run('get', 'deployment', id, '--reveal', '-o', 'json', '--token-file', admin)).exitCode).toBe(1);
  });

  it('describe a deployment with its groups, orders, bids and leases, and each of these', async () => {
    const id = await deployed();
    await bid(id, 'p1', '25');
    await run('accept', `${id}-1-1-p1`);
    const whole = (await run('describe', 'deployment', id)).out;
    expect(whole).toMatch(new RegExp(`^Deployment +${id}\n`));
    expect(whole).toMatch(/\nTerms\n {2}Owner +acme\n {2}Chosen +a bid that the tenant accepts\n/);
    for (const title of ['Groups', 'Orders', 'Bids', 'Leases']) expect(whole).toMatch(new RegExp(`\n${title}\n {2}(GROUP|ID) .*\n {2}\\S`));
    expect((await run('describe', 'order', `${id}-1-1`)).out).toMatch(/\nWants\n {2}Services +notebook × 1 .*\n {2}Resources +CPU 2, /);
    expect((await run('describe', 'bid', `${id}-1-1-p1`)).out).toMatch(
      new RegExp(`\nTerms\n {2}Order +acme/${id}/1/1\n {2}Provider +p1\n {2}Price +25 uakt per block, 10\\.9575 AKT per month\n`),
    );
    expect((await run('describe', 'lease', `${id}-1-1-p1`)).out).toMatch(
      /\nState +Active\n[\s\S]*\n {2}Group +anywhere\n {2}Provider +p1\n/,
    );
  });

  it('watch a list, and events of kinds of the market', async () => {
    const ended = new AbortController();
    const [listed, events] = [written(), written()];
    const id = await deployed();
    const listFlags = {
      output: 'json',
      selector: [],
      all: false,
      includeDeleted: false,
      watch: true,
      filter: `this.id.startsWith("${id}-")`,
    } as const;
    const watching = Promise.all([
      getObjects('bids')([], listFlags, listed.output, ended.signal),
      watchEvents(['bids', 'leases'], { output: 'table' }, events.output, ended.signal),
    ]);
    await vi.waitFor(async () => {
      await run('deploy', gpu, '--dry-run');
      await bid(id, 'p1', '25');
      expect(listed.texts.out).toContain('"event":"added"');
    }, soon);
    await bid(id, 'p2', '26');
    await vi.waitFor(() => expect(events.texts.out).toMatch(new RegExp(`created +bid/${id}-1-1-p2 `)), soon);
    await run('accept', `${id}-1-1-p1`);
    await vi.waitFor(() => expect(events.texts.out).toMatch(new RegExp(`created +lease/${id}-1-1-p1 `)), soon);
    await vi.waitFor(() => expect(listed.texts.out).toContain('BID_STATE_LOST'), soon);
    ended.abort();
    await watching;
  });

  it('refuse to watch two services at once, and unknown kinds', async () => {
    expect(await run('watch', 'hosts', 'bids')).toMatchObject({
      exitCode: 2,
      err: 'quartermaster: kinds of a fulfillment service and of a market are watched by a command each\n',
    });
    expect(await run('watch', 'things')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('deployments, orders, bids, leases, owner-keys'),
    });
  });
});

describe('accept and close', () => {
  it('makes a bid the lease, once; the others are lost', async () => {
    const id = await deployed();
    await bid(id, 'p1', '25');
    await bid(id, 'p2', '20');
    const line = `lease ${id}-1-1-p2: 20 uakt per block, 8.766 AKT per month`;
    expect(await run('accept', `${id}-1-1-p2`, '--dry-run')).toMatchObject({
      exitCode: 0,
      out: `${line} (dry run: nothing was written)\n`,
    });
    expect(await run('accept', `${id}-1-1-p2`)).toEqual({ exitCode: 0, err: '', out: `${line}\n` });
    expect(await run('accept', `${id}-1-1-p2`)).toMatchObject({ exitCode: 0 });
    expect(await run('accept', `${id}-1-1-p1`)).toMatchObject({ exitCode: 1, out: '' });
    expect(JSON.parse((await run('accept', `${id}-1-1-p2`, '--json')).out)).toMatchObject({ kind: 'Lease', id: `${id}-1-1-p2` });
  });

  it('closes a lease with a reason, after which its group is ordered anew, and then the deployment', async () => {
    const id = await deployed(gpu, '--name', 'to-close');
    await bid(id, 'p1', '25');
    await run('accept', `${id}-1-1-p1`);
    expect(await run('close', 'lease', `${id}-1-1-p1`, '--reason', 'too slow', '--dry-run')).toMatchObject({
      out: `lease ${id}-1-1-p1 would be closed (dry run: nothing was written): too slow\n`,
    });
    expect(await run('close', 'lease', `${id}-1-1-p1`, '--reason', 'too slow', '--yes')).toMatchObject({
      exitCode: 0,
      out: `lease ${id}-1-1-p1 closed: too slow\n`,
    });
    expect((await run('get', 'order', `${id}-1-2`)).out).toMatch(/ Open /);
    expect((await run('describe', 'lease', `${id}-1-1-p1`)).out).toMatch(/ {2}Ended by +tenant\n/);
    expect((await run('close', 'deployment', 'to-close')).out).toBe(`deployment ${id} closed: closed by its tenant\n`);
    expect((await run('close', 'deployment', id)).out).toBe(`deployment ${id} is already closed: closed by its tenant\n`);
    expect((await run('get', 'order', `${id}-1-2`)).out).toMatch(/ Closed /);
    expect(await run('close', 'deployment', '999999')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('"quartermaster get deployments"'),
    });
  });

  it('stops nothing without a terminal or --yes, and says what would stop', async () => {
    const id = await deployed(example('storage'));
    await bid(id, 'p1', '25');
    await run('accept', `${id}-1-1-p1`);
    const stops = 'services database, shop are stopped, and the data of 1 volume is deleted';
    for (const named of [
      ['lease', `${id}-1-1-p1`],
      ['deployment', id],
    ])
      expect(await run('close', ...named)).toEqual({
        exitCode: 1,
        out: '',
        err: `quartermaster: ${stops}, and there is no terminal to ask on: add --yes to confirm\n`,
      });
    expect((await run('get', 'lease', `${id}-1-1-p1`)).out).toMatch(/ Active /);
    expect((await run('close', 'deployment', id, '--yes')).exitCode).toBe(0);
  });

  it('asks a person at a terminal, and closes nothing on another answer than yes', async () => {
    const id = await deployed();
    const answering = (answer: string) => {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      input.end(`${answer}\n`);
      return { input, output: new PassThrough() };
    };
    const close = (answer: string) =>
      closeObject('deployments')([id], { yes: false, dryRun: false, output: 'text' }, written().output, undefined, answering(answer));
    await expect(close('n')).rejects.toThrow('nothing was closed');
    expect((await run('get', 'deployment', id)).out).toMatch(/ Active /);
    await close('y');
    expect((await run('get', 'deployment', id)).out).toMatch(/ Closed /);
  });
});

describe('owner keys', () => {
  it('are registered, listed and revoked', async () => {
    const key = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex').toString('base64');
    expect(await run('create', 'owner-key', 'mine', '--public-key', key)).toMatchObject({ exitCode: 0, err: '' });
    expect((await run('get', 'owner-keys')).out).toMatch(/^ID +NAME +TYPE +OWNER +EXPIRES +AGE\n\S+ +mine +public key +acme +- +\d+s\n$/);
    expect(await run('delete', 'owner-key', 'mine')).toMatchObject({ exitCode: 0, err: '' });
    expect((await market.tenant('acme').client(OwnerKeys).list({})).items).toEqual([]);
  });
});

describe('which market is asked', () => {
  it('is that of a login, which is apart from the logins to fulfillment services', async () => {
    vi.stubEnv('QUARTERMASTER_MARKET_SERVER', '');
    vi.stubEnv('QUARTERMASTER_MARKET_TOKEN', '');
    const login = await run('login', market.grpcAddress, '--market', '--name', 'acme-market', '--token-file', tokenFile);
    expect(login).toMatchObject({ exitCode: 0, out: expect.stringContaining(`Logged in to ${market.grpcAddress} as ann, tenant.`) });
    expect((await run('get', 'deployments')).exitCode).toBe(0);
    expect((await run('whoami', '--market')).out).toMatch(/^Name +ann\nRole +tenant\nTenants +acme/);
    expect((await run('contexts')).out).toMatch(/\n\* +acme-market +market +\S+ +\S+acme\.token +-\n$/);
    expect(await run('get', 'hosts', '--context', 'acme-market')).toMatchObject({
      exitCode: 2,
      err: 'quartermaster: login acme-market is to a market, and a fulfillment service is asked: "quartermaster contexts" lists what each is to\n',
    });
    expect(await run('logout')).toMatchObject({ out: 'Logged out of acme-market.\n' });
  });

  it('is named with the way to log in where nobody is logged in, or its token is refused', async () => {
    vi.stubEnv('QUARTERMASTER_MARKET_TOKEN', 'wrong');
    expect((await run('get', 'deployments')).err).toContain('log in again with `quartermaster login ADDRESS --market`');
    vi.stubEnv('QUARTERMASTER_MARKET_SERVER', '');
    vi.stubEnv('XDG_DATA_HOME', folder.path);
    expect((await run('get', 'deployments')).err).toContain('log in to another with `quartermaster login ADDRESS --market`');
  });
});

it('completes names, kinds and files', async () => {
  const id = await deployed();
  await bid(id, 'p1', '25');
  vi.stubEnv('QUARTERMASTER_TEST_COMPLETION_MS', '20000');
  const completed = async (line: string) => (await run('__complete', '--line', `quartermaster ${line}`)).out.split('\n');
  expect(await completed(`accept ${id}-`)).toEqual([`${id}-1-1-p1`, ':none', '']);
  expect(await completed(`close deployment ${id}`)).toContain(id);
  expect(await completed('close ')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^deployment\t/), expect.stringMatching(/^lease\t/)]),
  );
  expect(await completed('watch bi')).toEqual(['bids', ':none', '']);
  expect(await completed('deploy ')).toEqual([':files', '']);
});
