import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Bids, Deployments, type LeaseDeliverySchema, ProviderMarket } from '@quartermaster/api/market';
import { FakeClock } from '@quartermaster/kernel';
import { startTestMarket, type TestMarket } from '@quartermaster/market/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoginFolder } from '../fulfillment/test/login-folder.ts';
import { run, written } from '../fulfillment/test/run-program.ts';
import { person } from '../text/confirm.ts';
import type { Output } from '../text/output.ts';
import { leaseStatus } from './lease-status.ts';
import { updateLease } from './lease-update.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}.yaml`, import.meta.url));
const [web, storage] = [example('web'), example('storage')];
const soon = { timeout: 20_000 };

let market: TestMarket;
let folder: LoginFolder;
let token: string;

beforeAll(async () => {
  market = await startTestMarket();
  folder = LoginFolder.make();
  token = await market.token({ name: 'ann', role: 'tenant', groups: ['acme'] });
});

afterAll(async () => {
  await market.stop();
  folder.remove();
});

beforeEach(() => {
  folder.use();
  vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.grpcAddress);
  vi.stubEnv('QUARTERMASTER_MARKET_TOKEN', token);
});
afterEach(() => vi.unstubAllEnvs());

const provider = () => market.provider('p1').client(ProviderMarket);

interface Leased {
  /** Of the deployment. */
  readonly dseq: string;
  readonly lease: string;
  readonly hash: string;
  report(delivery: MessageInitShape<typeof LeaseDeliverySchema>): Promise<unknown>;
}

async function leased(file = web): Promise<Leased> {
  const tenant = market.tenant('acme');
  const { object } = await tenant.client(Deployments).create({ object: { spec: { sdl: readFileSync(file, 'utf8') } } });
  const dseq = object?.id ?? '';
  const order = { owner: 'acme', dseq: BigInt(dseq), gseq: 1, oseq: 1 };
  await provider().createBid({ order, price: { denom: 'uakt', amount: '25' } });
  await tenant.client(Bids).accept({ id: `${dseq}-1-1-p1` });
  return {
    dseq,
    lease: `${dseq}-1-1-p1`,
    hash: object?.status?.manifestHash ?? '',
    report: (delivery) => provider().reportDelivery({ order, delivery: { state: 'Active', health: 'healthy', ...delivery } }),
  };
}

const changed = (name: string, ...replacements: readonly (readonly [string, string])[]): string => {
  const text = replacements.reduce((sdl, [from, to]) => sdl.replaceAll(from, to), readFileSync(example(name), 'utf8'));
  return folder.file(`${name}-changed.yaml`, text);
};

const services = [
  { name: 'web', count: 2, available: 1, uris: ['web.example.com', 'node.example.com:31000'], problems: ['web-1 cannot pull its image'] },
];

describe('lease status', () => {
  it('shows what the provider says of the lease and of each service', async () => {
    const { lease, report } = await leased();
    expect((await run('lease', 'status', lease)).out).toBe(
      [
        'PART            STATE   ADDRESSES  DETAILS',
        `${`lease ${lease}`.padEnd(16)}Active  -          -`,
        '',
        'The provider has not reported on this lease yet.',
        '',
      ].join('\n'),
    );
    await report({ health: 'unhealthy', reason: 'Unhealthy', message: 'web-1 cannot pull its image', services });
    const { exitCode, out, err } = await run('lease', 'status', lease);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const [header, first, second, , note] = out.split('\n');
    expect(header).toMatch(/^PART +STATE +ADDRESSES +DETAILS$/);
    expect(first).toMatch(new RegExp(`^lease ${lease} +Active, unhealthy +- +Unhealthy$`));
    expect(second).toMatch(/^service web +1\/2 available +web\.example\.com, node\.example\.com:31000 +web-1 cannot pull its image$/);
    expect(note).toMatch(/^Reported \d+s ago by p1\.$/);
    expect(JSON.parse((await run('lease', 'status', lease, '--json')).out)).toMatchObject({
      ...{ kind: 'Lease', id: lease },
      status: { delivery: { state: 'Active', health: 'unhealthy', services: [{ name: 'web', available: 1 }] } },
    });
  });

  it('says what the provider refuses, and what is left of a closed lease', async () => {
    const { lease, report } = await leased();
    await report({ refusal: 'the hostname is taken' });
    expect((await run('lease', 'status', lease)).out).toContain('\nThe newest manifest is not deployed: the hostname is taken\n');
    expect((await run('lease', 'close', lease, '--reason', 'too slow', '--yes')).out).toBe(`lease ${lease} closed: too slow\n`);
    expect((await run('lease', 'status', lease)).out).toMatch(/ Closed +- +too slow\n[\s\S]*\nIts workload is being removed\.\n/);
    await report({ state: 'Complete', health: 'none' });
    expect((await run('lease', 'status', lease)).out).toContain('\nAll its resources have been removed.\n');
  });

  it('follows it, a line for each part that changes', async () => {
    const { lease, report } = await leased();
    const ended = new AbortController();
    const { texts, output } = written();
    const watching = leaseStatus([lease], { output: 'table', watch: true }, output, ended.signal);
    await vi.waitFor(() => expect(texts.out).toContain('has not reported on this lease yet'), soon);
    await report({ services });
    await vi.waitFor(() => expect(texts.out).toMatch(/\nservice web +1\/2 available /), soon);
    await report({ services: [{ name: 'web', count: 2, available: 2 }] });
    await vi.waitFor(() => expect(texts.out).toMatch(/\nservice web +2\/2 available /), soon);
    ended.abort();
    await watching;
  });

  it('takes a lease by its order, or by the only deployment that it can be of, as all commands of leases take the order', async () => {
    const { lease, dseq } = await leased();
    for (const name of [`acme/${dseq}/1/1`, dseq]) expect((await run('lease', 'status', name)).out).toContain(`\nlease ${lease} `);
    expect((await run('describe', 'lease', `acme/${dseq}/1/1`)).out).toMatch(new RegExp(`^Lease +${lease}\n`));
    expect((await run('lease', 'status', `other/${dseq}/1/1`)).err).toContain(`lease other/${dseq}/1/1 does not exist`);
    const file = changed('web', ['nginx:1.29', 'nginx:1.30']);
    expect((await run('lease', 'update', `acme/${dseq}/1/1`, file, '--no-wait')).out).toContain(`deployment ${dseq} updated\n`);
    expect((await run('lease', 'close', `acme/${dseq}/1/1`, '--yes')).out).toContain(`lease ${lease} closed`);
    expect((await run('lease', 'status', dseq)).err).toBe(`quartermaster: deployment ${dseq} has no active lease\n`);
  });

  it('follows the lease that an order or a deployment names', async () => {
    const { dseq, report } = await leased();
    const ended = new AbortController();
    const { texts, output } = written();
    const watching = leaseStatus([dseq], { output: 'table', watch: true }, output, ended.signal);
    await vi.waitFor(() => expect(texts.out).toContain('not reported on this lease yet'), soon);
    await report({ services });
    await vi.waitFor(() => expect(texts.out).toMatch(/\nservice web +1\/2 available /), soon);
    ended.abort();
    await watching;
  });

  it('is told which leases there are where there is none of that name', async () => {
    for (const more of [[], ['--watch']])
      expect(await run('lease', 'status', '999-1-1-p1', ...more)).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining('get leases'),
      });
  });

  it('is in the description and in the list of leases, too', async () => {
    const { lease, dseq, report } = await leased();
    expect((await run('describe', 'lease', lease)).out).toContain('\nDelivery\n  The provider has not reported on this lease yet.\n');
    await report({ reason: 'Running', message: 'everything runs', services, runningAt: { seconds: 1_800_000_000n, nanos: 0 } });
    const { out } = await run('describe', 'lease', lease);
    expect(out).toMatch(
      /\nDelivery\n {2}State +Active, healthy\n {2}Reason +Running: everything runs\n {2}Running +2027-01-15T08:00:00Z\n {2}Reported +\S+ \(\d+s ago\)\n/,
    );
    expect(out).toMatch(/\nServices\n {2}SERVICE +AVAILABLE +ADDRESSES +PROBLEMS\n {2}web +1\/2 +web\.example\.com, /);
    expect((await run('get', 'lease', lease)).out).toMatch(/^ID +STATE +DELIVERY +GROUP [\s\S]*\n\S+ +Active +Active, healthy +anywhere /);
    expect((await run('describe', 'deployment', dseq)).out).toMatch(/\nLeases\n {2}ID +STATE +DELIVERY /);
  });
});

describe('leases of the market', () => {
  it('point who is no tenant to what the provider runs, with a last line', async () => {
    const { lease, dseq } = await leased();
    const admin = folder.file('root.token', await market.token({ name: 'root', role: 'admin' }));
    const bidder = folder.file('p1.token', await market.token({ name: 'p1', role: 'provider', source: 'p1' }));
    const other = '"quartermaster get running-leases" shows what this provider runs of them.\n';
    expect((await run('get', 'leases', '--token-file', admin)).out.endsWith(`\n\n${other}`)).toBe(true);
    expect((await run('get', 'leases', '--token-file', admin, '-o', 'name')).out).not.toContain('running-leases');
    expect((await run('describe', 'lease', `acme/${dseq}/1/1`, '--token-file', admin)).out).toMatch(
      new RegExp(`\n\n"quartermaster describe running-lease acme/${dseq}/1/1" shows what this provider runs of it\\.\n$`),
    );
    for (const command of [['get', 'leases'] as const, ['describe', 'lease', lease] as const])
      expect((await run(...command, '--token-file', bidder)).err).toMatch(
        /has the role provider .*; "quartermaster get running-leases" shows/,
      );
    expect((await run('get', 'leases')).out).not.toContain('running-leases');
    expect((await run('describe', 'lease', lease)).out).not.toContain('running-lease');
  });
});

describe('lease update', () => {
  const flags = { confirm: [], yes: true, dryRun: false, wait: true, timeout: '20s', output: 'text' } as const;
  /** By the clock of the machine, which may be busy. */
  const patient = { ...flags, timeout: '50s' } as const;
  const answering = (answer: string) => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.end(`${answer}\n`);
    return { input, output: new PassThrough() };
  };
  const runningAt = { seconds: 1_800_000_000n, nanos: 0 };
  const hashOf = async (id: string) => (await market.tenant('acme').client(Deployments).get({ id })).object?.status?.manifestHash ?? '';

  it('shows what changes, and tells until it runs', async () => {
    const { dseq, lease, hash, report } = await leased();
    await report({ manifestHash: hash, services: [{ name: 'web', count: 2, available: 2 }], runningAt });
    const { texts, output } = written();
    const file = changed('web', ['nginx:1.29', 'nginx:1.30']);
    const updating = updateLease([lease, file], patient, output, new AbortController().signal);
    await vi.waitFor(() => expect(texts.out).toMatch(new RegExp(`deployment ${dseq} updated\n`)), soon);
    expect(texts.out).toMatch(/^SERVICE +CHANGE\nweb +.+\n\nRestarted, one replica after another: web\.\n/);
    const manifestHash = await hashOf(dseq);
    await report({ manifestHash, health: 'starting', services: [{ name: 'web', count: 2, available: 1 }] });
    await vi.waitFor(() => expect(texts.out).toMatch(/: Active, starting; web 1\/2\n$/), soon);
    await report({ manifestHash, services: [{ name: 'web', count: 2, available: 2 }], runningAt });
    await updating;
    expect(texts.out).toMatch(new RegExp(`\nlease ${lease}: Active, healthy; web 2/2\nRunning at p1\\.\n$`));
    expect(texts.err).toBe('');
  });

  /** An update whose `--timeout` of 20 s is over when a test says so. */
  const updateUntil = (clock: FakeClock, args: readonly [lease: string, file: string], output: Output) =>
    updateLease(args, flags, output, new AbortController().signal, person, clock).catch((thrown: unknown) => thrown);

  it('fails where it is deployed and does not come to run in time, and says why', async () => {
    const { dseq, lease, report } = await leased();
    const { texts, output } = written();
    const clock = new FakeClock();
    const updating = updateUntil(clock, [lease, changed('web', ['nginx:1.29', 'nginx:1.92'])], output);
    await vi.waitFor(() => expect(texts.out).toContain('updated\n'), soon);
    const why = { reason: 'Unhealthy', message: 'The image nginx:1.92 cannot be pulled.' };
    await report({ manifestHash: await hashOf(dseq), health: 'unhealthy', ...why });
    await vi.waitFor(() => expect(texts.out).toContain('cannot be pulled'), soon);
    await clock.advance(20_000);
    expect(await updating).toMatchObject({
      code: 'unavailable',
      message: `timed out; lease ${lease} does not run it yet: Unhealthy: The image nginx:1.92 cannot be pulled; the update stays: "quartermaster lease status ${lease}" shows its progress`,
    });
  });

  describe('where the market is away as soon as it has taken the update', () => {
    /** Writes what it is given; from the update on, nobody is where the market was. */
    const leaving = () => {
      const { texts, output } = written();
      const write = (text: string) => {
        if (text.includes(' updated\n')) vi.stubEnv('QUARTERMASTER_MARKET_SERVER', '127.0.0.1:1');
        return output.out.write(text);
      };
      return { texts, output: { ...output, out: { write } } };
    };

    it('waits for it instead of taking silence for no lease', async () => {
      const { dseq, lease, report } = await leased();
      const { texts, output } = leaving();
      const clock = new FakeClock();
      const updating = updateUntil(clock, [lease, changed('web', ['nginx:1.29', 'nginx:1.33'])], output);
      await vi.waitFor(() => expect(texts.err).toMatch(/^quartermaster: .+; trying again\n$/), soon);
      await report({ manifestHash: await hashOf(dseq), runningAt });
      vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.grpcAddress);
      // Beyond the first wait for another try, and far from the end.
      await clock.advance(1_000);
      expect(await updating).toBeUndefined();
      expect(texts.out).toMatch(/\nRunning at p1\.\n$/);
    });

    it('fails when the time is over before it has answered', async () => {
      const { dseq, lease } = await leased();
      const { texts, output } = leaving();
      const clock = new FakeClock();
      const updating = updateUntil(clock, [lease, changed('web', ['nginx:1.29', 'nginx:1.34'])], output);
      await vi.waitFor(() => expect(texts.err).toContain('trying again'), soon);
      await clock.advance(20_000);
      expect(await updating).toMatchObject({
        code: 'unavailable',
        message: `the market did not answer within the time-out; the update stays: "quartermaster describe deployment ${dseq}" shows its progress`,
      });
      expect(texts.out).not.toContain('no active lease');
    });
  });

  it('is for the tenant alone, since it tells what differs from what is stored', async () => {
    const { dseq } = await leased();
    const admin = folder.file('root.token', await market.token({ name: 'root', role: 'admin' }));
    expect(await run('lease', 'update', dseq, changed('web', ['1.29', '1.30']), '--yes', '--token-file', admin)).toMatchObject({
      exitCode: 1,
      err: `quartermaster: only the tenant of deployment ${dseq} may update it: run this with the tenant's login or --token-file\n`,
    });
  });

  it('changes nothing on another answer than yes, nor when it is only tried', async () => {
    const { dseq, hash } = await leased();
    const file = changed('web', ['nginx:1.29', 'nginx:1.30']);
    const update = (answer: string) =>
      updateLease([dseq, file], { ...flags, yes: false, wait: false }, written().output, new AbortController().signal, answering(answer));
    await expect(update('n')).rejects.toThrow('nothing was updated');
    expect((await run('lease', 'update', dseq, file, '--dry-run')).out).toMatch(
      /^SERVICE +CHANGE\n[\s\S]*\nDry run: nothing was updated\.\n$/,
    );
    expect(await hashOf(dseq)).toBe(hash);
    await update('y');
    expect(await hashOf(dseq)).not.toBe(hash);
    expect((await run('lease', 'update', dseq, file, '--no-wait')).out).toBe(`No running service changes.\ndeployment ${dseq} updated\n`);
  });

  it('loses no data unless each volume is named, whatever else is said', async () => {
    const { dseq, hash } = await leased(storage);
    const file = changed('storage', ['\n  database:\n', '\n  archive:\n']);
    const refused = await run('lease', 'update', dseq, file, '--yes');
    expect(refused).toMatchObject({ exitCode: 1, out: expect.stringContaining('\nLost with all data: database/') });
    const [, volume = ''] = /Lost with all data: (\S+)\.\n/.exec(refused.out) ?? [];
    expect(refused.err).toBe(`quartermaster: this update deletes data: confirm with --confirm ${volume}; nothing was updated\n`);
    expect(await hashOf(dseq)).toBe(hash);
    expect(await run('lease', 'update', dseq, file, '--yes', '--no-wait', '--confirm', volume, '--confirm', 'x/y')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('must not name x/y, which is not lost'),
    });
    const { exitCode, out } = await run('lease', 'update', dseq, file, '--yes', '--no-wait', '--confirm', volume, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ preview: { lost_volumes: [volume] }, deployment: { status: { confirmed: [volume] } } });
  });

  it('tells faults as deploy does, and what was ordered stays', async () => {
    const { dseq } = await leased();
    const bad = changed('web', ['port: 80', 'port: 99999']);
    expect(await run('lease', 'update', dseq, bad)).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(
        new RegExp(`^${bad}:\\d+:\\d+: .*\\(OutOfRange\\)\nquartermaster: ${bad} has a fault: nothing was updated\n$`),
      ),
    });
    const larger = changed('web', ['count: 2', 'count: 3']);
    const { exitCode, err } = await run('lease', 'update', dseq, larger);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/must order what was ordered before, but .*: close the deployment and deploy anew \(OrderChanged\)\n/);
    expect(await run('lease', 'update', 'nothing', larger)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('no lease or deployment nothing'),
    });
  });

  it('says what the provider refuses, but not what it refused before, and that it timed out', async () => {
    const { dseq, lease, hash, report } = await leased();
    await report({ manifestHash: hash, refusal: 'an old story', refusedHash: '0'.repeat(64) });
    const { texts, output } = written();
    const file = changed('web', ['nginx:1.29', 'nginx:1.31']);
    const updating = updateLease([lease, file], patient, output, new AbortController().signal).catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(texts.out).toContain('an old story'), soon);
    const { object } = await market.tenant('acme').client(Deployments).get({ id: dseq });
    const refusedHash = object?.status?.manifestHash ?? '';
    await report({ manifestHash: hash, refusal: 'the hostname is taken', refusedHash });
    expect(await updating).toMatchObject({
      code: 'failed_precondition',
      message: `lease ${lease} keeps running the previous manifest: the hostname is taken`,
    });
    // Sent once more it is refused once more, of which there is no news.
    const again = await run('lease', 'update', dseq, file, '--yes');
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining('the hostname is taken') });
    const late = written();
    const clock = new FakeClock();
    const waiting = updateUntil(clock, [dseq, changed('web', ['nginx:1.29', 'nginx:1.32'])], late.output);
    await vi.waitFor(() => expect(late.texts.out).toContain('the hostname is taken'), soon);
    await clock.advance(20_000);
    expect(await waiting).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`^timed out; .*"quartermaster lease status ${lease}" shows its progress$`)),
    });
  });
});

it('completes leases and files', async () => {
  const { lease } = await leased();
  vi.stubEnv('QUARTERMASTER_TEST_COMPLETION_MS', '20000');
  const completed = async (line: string) => (await run('__complete', '--line', `quartermaster ${line}`)).out.split('\n');
  expect(await completed(`lease status ${lease.slice(0, -1)}`)).toEqual([lease, ':none', '']);
  expect(await completed(`lease update ${lease} `)).toEqual([':files', '']);
  expect((await completed('lease ')).map((line) => line.split('\t')[0])).toEqual([
    'status',
    'logs',
    'shell',
    'events',
    'update',
    'send-manifest',
    'close',
    ':none',
    '',
  ]);
});
