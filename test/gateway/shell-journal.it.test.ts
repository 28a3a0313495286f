import { type TenantShell, tenantShellType } from '@quartermaster/api/tenant-shell';
import { kinds } from '@quartermaster/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { nodeSpec, startSimulatedLeasedCluster } from '../leases/leased-cluster.ts';
import { type Deployed, RunningLeases } from '../leases/running-leases.ts';
import { openShell, shellAccess, shellPath } from './open-shell.ts';
import { frame, opcodes, TenantStream } from './tenant-stream.ts';

const timeout = 120_000;
const waiting = { timeout: 60_000, interval: 50 };
/** Sweeps come so many times as often. */
const pace = 10;
const perLease = 3;
const perMinute = 20;

/** Shells of tenants on the simulated API server: what is kept of them, and what is not. */
describe('the journal of shells', { timeout }, () => {
  let site: RunningLeases;
  let amy: Deployed;
  let bob: Deployed;

  beforeAll(async () => {
    const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1)]);
    const args = [`--gateway-shell-records-per-lease=${perLease}`, `--gateway-shells-per-minute=${perMinute}`, '--lease-retention=1s'];
    site = await RunningLeases.start(cluster, { pace, args: ['--gateway-requests-per-second=0', ...args] });
    [amy, bob] = (await Promise.all(['amy', 'bob'].map((owner) => site.run(owner, leaseSdl({ web: {} }))))) as [Deployed, Deployed];
  }, timeout);

  afterEach(() => site.cluster.client.transport.json({ what: 'remove faults', method: 'DELETE', path }));
  afterAll(() => site?.stop());

  const path = '/simulator/faults';
  const addFault = (fault: object) =>
    site.cluster.client.transport.json({
      ...{ what: 'add a fault', method: 'POST', path },
      ...{ body: JSON.stringify(fault), contentType: 'application/json' },
    });
  const open = (lease: Deployed, command: readonly string[], { stdin = false } = {}) => openShell(site.market, lease, { command, stdin });
  /** With an input that nothing comes of. */
  const openEndless = (lease: Deployed) => open(lease, ['cat'], { stdin: true });
  /** Says it again until it is heard. */
  const untilOver = async (shell: TenantStream, say: () => void): Promise<void> => {
    const isOver = (): boolean => {
      say();
      return shell.isEnded;
    };
    await expect.poll(isOver, waiting).toBe(true);
  };
  const records = async ({ owner }: Deployed): Promise<readonly TenantShell[]> =>
    (await site.cluster.client.list(tenantShellType)).items
      .filter(({ spec }) => spec.lease.owner === owner)
      .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  const untilOutcome = async (lease: Deployed, outcome: string): Promise<TenantShell> => {
    await expect.poll(async () => (await records(lease)).at(-1)?.status?.outcome, waiting).toBe(outcome);
    return (await records(lease)).at(-1) as TenantShell;
  };

  it('has a record before anything comes of a shell, and its exit code once it is over', async () => {
    await addFault({ kind: 'latency', resource: 'tenantshells', verbs: ['create'], ms: 300 });
    const shell = await open(amy, ['sh', '-c', 'echo hello; exit 3']);
    await shell.until(({ messages }) => messages.length > 0);
    const [record, ...others] = await records(amy);
    const [pod] = await site.pods(amy);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      spec: {
        lease: { owner: 'amy', dseq: String(amy.order.dseq), gseq: 1, oseq: 1, provider: 'farm' },
        ...{ proof: 'token', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/), address: '127.0.0.1', service: 'web' },
        ...{ pod: pod?.metadata?.name, replica: expect.any(String), openedAt: expect.any(String) },
      },
    });
    expect(await shell.ended).toMatchObject({ code: 1000 });
    expect([shell.output('stdout'), shell.output('result')]).toEqual(['hello\n', '{"exit_code":3}']);
    await untilOutcome(amy, '3');
  });

  it('has nothing of what was typed or shown', async () => {
    const shell = await open(amy, ['cat'], { stdin: true });
    await untilOver(shell, () => {
      shell.input('typed-canary');
      shell.input('');
    });
    expect(shell.output('stdout')).toMatch(/^(typed-canary)+$/);
    await (await open(amy, ['command-canary'])).ended;
    await untilOutcome(amy, '127');
    const broken = await openEndless(amy);
    await untilOver(broken, () => broken.send(frame({ opcode: opcodes.binary, data: Buffer.from('canary') })));
    await untilOutcome(amy, 'the tenant broke the protocol');
    // Bytes of what was sent are told to the tenant alone.
    expect(await broken.ended).toMatchObject({ reason: expect.stringContaining(`frame ${'c'.charCodeAt(0)} is unknown`) });
    expect(JSON.stringify([await records(amy), await site.leases().listShells({})], plain)).not.toMatch(/canary|hello/);
  });

  it('says why a shell ended before its command did', async () => {
    const shell = await openEndless(bob);
    await expect.poll(() => records(bob), waiting).toHaveLength(1);
    expect((await records(bob))[0]?.status).toBeUndefined();
    shell.send(frame({ opcode: opcodes.close, data: Buffer.alloc(0) }));
    await untilOutcome(bob, 'the tenant closed the stream');
  });

  it('opens no shell that cannot be recorded, and tells the tenant nothing of the cluster', async () => {
    await addFault({ kind: 'error', resource: 'tenantshells', verbs: ['create'], code: 500 });
    const before = await records(bob);
    const shell = await open(bob, ['echo', 'hello']);
    expect(await shell.ended).toEqual({
      code: 4002,
      reason: 'the shell cannot be opened, since it cannot be recorded at the moment: try again',
    });
    expect(shell.messages).toEqual([]);
    expect(await records(bob)).toEqual(before);
  });

  it('keeps the newest of a lease, and is told of by the service', async () => {
    for (const word of ['1', '2', '3', '4', '5']) await (await open(amy, ['sh', '-c', `exit ${word}`])).ended;
    await expect.poll(async () => (await records(amy)).map(({ status }) => status?.outcome), waiting).toEqual(['3', '4', '5']);
    await expect
      .poll(async () => (await site.leases().listShells({ order: amy.order })).shells.map(({ outcome }) => outcome), waiting)
      .toEqual(['5', '4', '3']);
  });

  it('has the shells of a tenant limited, and not those of another', async () => {
    const { client, shown } = await shellAccess(site.market, bob);
    const ask = () => client.upgrade({ path: shellPath(bob, { command: ['true'] }), shown });
    const before = performance.now();
    const answers = await Promise.all(Array.from({ length: perMinute * 3 }, ask));
    const minutes = ((performance.now() - before) * pace) / 60_000;
    const opened = answers.flatMap(({ socket }) => (socket === undefined ? [] : [new TenantStream(socket)]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([101, 429]));
    expect(opened.length).toBeGreaterThanOrEqual(perMinute / 2);
    expect(opened.length).toBeLessThanOrEqual(perMinute * (1 + minutes));
    for (const { ended } of [...opened, await open(amy, ['true'])]) expect(await ended).toMatchObject({ code: 1000 });
  });

  it('leaves one open whose process was killed, and shows it as an unknown end once none lasts so long', async () => {
    const newest = async () => (await records(amy)).at(-1)?.metadata?.name;
    const before = await newest();
    const shell = await openEndless(amy);
    await expect.poll(newest, waiting).not.toBe(before);
    const name = await newest();
    const shown = async () => (await site.leases().listShells({ order: amy.order })).shells.find((each) => each.name === name)?.outcome;
    await expect.poll(shown, waiting).toBe('');
    await site.endService();
    await shell.ended;
    await site.startService({ args: ['--gateway-stream-timeout=1s'] });
    await expect.poll(shown, waiting).toBe('unknown end');
    const record = (await records(amy)).find(({ metadata }) => metadata?.name === name);
    expect([record?.metadata?.name, record?.status]).toEqual([name, undefined]);
  });

  it('is forgotten with the lease', async () => {
    await site.close(amy);
    await expect.poll(() => records(amy), waiting).toEqual([]);
    expect(await site.cluster.client.find(kinds.namespaces, { name: amy.namespace })).toBeUndefined();
    expect(await records(bob)).not.toEqual([]);
  });
});

const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
