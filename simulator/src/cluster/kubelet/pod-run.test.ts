import { FakeClock, seededRandom } from '@quartermaster/kernel';
import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { SimulatedNode } from '../node/simulated-node.ts';
import { activePod, behaviourPrefix, fingerprint, projectPod } from '../pods/kubelet-pod.ts';
import { ImageRegistry, type ImageRole } from './image-registry.ts';
import { PodRun } from './pod-run.ts';

const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64, gpus: [{ model: 't4', count: 2 }] }, 'node', 1);

interface Behaviour {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly restartPolicy?: string;
  readonly images?: readonly string[];
  readonly role?: ImageRole;
  readonly terminationMessagePolicy?: string;
}

function podOf({ annotations = {}, restartPolicy = 'Always', images = ['plain'], ...more }: Behaviour): Pod {
  const { terminationMessagePolicy = 'File' } = more;
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [behaviourPrefix + key, value]));
  return {
    metadata: { namespace: 'default', name: 'pod', uid: 'uid', annotations: prefixed },
    spec: {
      nodeName: 'node',
      restartPolicy,
      containers: images.map((image, index) => ({ name: `c${index}`, image, terminationMessagePolicy })),
    },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
  };
}

function start(behaviour: Behaviour, adopted?: Pod['status']) {
  const clock = new FakeClock();
  const node = new SimulatedNode({ name: 'node', index: 1, hardware }, clock);
  const images = new ImageRegistry();
  const { role } = behaviour;
  if (role !== undefined) images.register('agent', () => role);
  let changes = 0;
  const told: string[] = [];
  const pod = { ...podOf(behaviour), ...(adopted === undefined ? {} : { status: adopted }) };
  const run = new PodRun(activePod(pod), {
    node,
    images,
    clock,
    random: seededRandom(1),
    startMs: 100,
    restartBackoff: { firstMs: 1000, maxMs: 8000, factor: 2 },
    podIp: node.takeAddress(),
    readData: async () => ({}),
    changed: () => {
      changes += 1;
    },
    tell: (_type, { reason }) => told.push(reason),
  });
  run.start({ adopt: adopted !== undefined });
  const state = () => run.status().containerStatuses?.[0]?.state;
  return { clock, node, run, state, told, changes: () => changes };
}

describe('a pod on a simulated node', () => {
  it('is created, then runs, ready and with an address', async () => {
    const { clock, run, state } = start({});
    expect(run.status()).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    await clock.advance(100);
    expect(run.status()).toMatchObject({
      phase: 'Running',
      podIP: '10.64.1.2',
      hostIP: '10.240.0.1',
      containerStatuses: [{ ready: true, restartCount: 0 }],
    });
    expect(run.status().conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    expect(run.status().conditions).toContainEqual({ type: 'PodScheduled', status: 'True' });
    await clock.advance(3_600_000);
    expect(state()?.running).toBeDefined();
  });

  it('tells people what becomes of its containers, but not of those that it finds running', async () => {
    const { clock, told, run } = start({ images: ['plain:crash'] });
    await clock.advance(100);
    expect(told).toEqual(['Pulled', 'Created', 'Started', 'BackOff']);
    const { told: toldOfAdopted } = start({}, run.status());
    expect(toldOfAdopted).toEqual([]);
    const { clock: other, told: toldOfMissing } = start({ images: ['plain:missing'] });
    await other.advance(600);
    expect(toldOfMissing).toEqual(['Failed', 'BackOff']);
  });

  it.each([
    ['0', 'Never', 'Succeeded'],
    ['3', 'Never', 'Failed'],
    ['0', 'OnFailure', 'Succeeded'],
  ])('ends with exit code %s and restart policy %s as %s', async (code, restartPolicy, phase) => {
    const { clock, run } = start({ annotations: { 'run-for-ms': '500', 'exit-code': code }, restartPolicy });
    await clock.advance(650);
    expect(run.status()).toMatchObject({ phase, containerStatuses: [{ state: { terminated: { exitCode: Number(code) } } }] });
  });

  it('starts a container that ended again after waits that grow', async () => {
    const { clock, run, state } = start({ images: ['broken:crash'] });
    await clock.advance(100);
    expect(state()?.waiting?.reason).toBe('CrashLoopBackOff');
    expect(run.status().containerStatuses?.[0]).toMatchObject({ restartCount: 0, lastState: { terminated: { exitCode: 1 } } });
    await clock.advance(1000);
    expect(run.status().containerStatuses?.[0]?.restartCount).toBe(1);
    await clock.advance(400);
    expect(run.status().containerStatuses?.[0]?.restartCount).toBe(1);
    await clock.advance(60_000);
    expect(run.status().containerStatuses?.[0]?.restartCount).toBeGreaterThan(5);
    expect(run.status().phase).toBe('Running');
  });

  it.each([
    ['nowhere.invalid/app:2', 'lookup nowhere.invalid: no such host'],
    ['registry.example/app:missing', 'registry.example/app:missing: not found'],
  ])('stays pending for the image %s, and tries again after waits that grow', async (image, words) => {
    const { clock, run, state, told } = start({ images: [image] });
    await clock.advance(100);
    expect(run.status().phase).toBe('Pending');
    expect(state()?.waiting).toEqual({ reason: 'ErrImagePull', message: expect.stringContaining(words) });
    await clock.advance(500);
    expect(state()?.waiting?.reason).toBe('ImagePullBackOff');
    expect(state()?.waiting?.message).toMatch(`Back-off pulling image "${image}": ErrImagePull: `);
    await clock.advance(1000);
    expect(told.filter((reason) => reason === 'Failed')).toHaveLength(2);
    await clock.advance(18_400);
    const tries = told.filter((reason) => reason === 'Failed').length;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(10);
    run.stop(0);
    await clock.advance(0);
    expect([run.isStopped, run.status().phase]).toEqual([true, 'Pending']);
  });

  it('runs its other containers while the image of one cannot be pulled', async () => {
    const { clock, run } = start({ images: ['plain', 'nowhere.invalid/app'] });
    await clock.advance(100);
    expect(run.status()).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ ready: true }, { ready: false, state: { waiting: { reason: 'ErrImagePull' } } }],
    });
  });

  it('pulls nothing for an image that has a program here, nor for containers that run already', async () => {
    const role: ImageRole = { run: (_context, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(0))) };
    const { node, clock } = start({});
    const images = new ImageRegistry();
    images.register('nowhere.invalid/agent', () => role);
    const options = { node, images, clock, random: seededRandom(1), startMs: 0, restartBackoff: { firstMs: 1, maxMs: 1, factor: 2 } };
    const run = new PodRun(activePod(podOf({ images: ['nowhere.invalid/agent:1'] })), {
      ...{ ...options, podIp: node.takeAddress(), readData: async () => ({}) },
      changed: () => {},
      tell: () => {},
    });
    run.start({ adopt: false });
    await clock.advance(0);
    expect(run.status().phase).toBe('Running');
    const running: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [{ name: 'c0', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
    };
    const { clock: other, run: adopted } = start({ images: ['nowhere.invalid/app'] }, running);
    await other.advance(0);
    expect(adopted.status()).toMatchObject({ phase: 'Running', containerStatuses: [{ ready: true }] });
  });

  it.each([
    ['simulator.quartermaster.dev/crash', 1, 'Error', 'exit code 1'],
    ['simulator.quartermaster.dev/crash:42', 42, 'Error', 'exit code 42'],
    ['simulator.quartermaster.dev/full-disk', 1, 'Error', 'No space left on device'],
    ['simulator.quartermaster.dev/oom', 137, 'OOMKilled', 'memory'],
  ])('fails on purpose with the image %s, a moment after each start', async (image, exitCode, reason, words) => {
    const { clock, run, state } = start({ images: [image], terminationMessagePolicy: 'FallbackToLogsOnError' });
    await clock.advance(500);
    expect(state()?.running).toBeDefined();
    await clock.advance(600);
    expect(state()?.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: 'back-off 1s restarting failed container=c0 pod=pod_default(uid)',
    });
    expect(run.status().containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      lastState: { terminated: { exitCode, reason, message: expect.stringContaining(words) } },
    });
    await clock.advance(60_000);
    expect(run.status().containerStatuses?.[0]?.restartCount).toBeGreaterThan(3);
  });

  it('tells the end of the log only where the container asks for it and has failed', async () => {
    const failing = start({ images: ['simulator.quartermaster.dev/crash'] });
    await failing.clock.advance(1100);
    const quiet = failing.run.status().containerStatuses?.[0]?.lastState?.terminated;
    expect([quiet?.exitCode, quiet?.message]).toEqual([1, undefined]);
    const policy = { terminationMessagePolicy: 'FallbackToLogsOnError', restartPolicy: 'Never' };
    const done = start({ annotations: { 'run-for-ms': '10' }, ...policy });
    await done.clock.advance(200);
    expect(done.state()?.terminated).toMatchObject({ exitCode: 0, message: undefined });
  });

  it('gives a registered program its node, its environment and a way to log', async () => {
    const role: ImageRole = {
      run: async ({ node, pod, env, log, machine }) => {
        log(`${pod.name} on ${node.name} as ${env['HOSTNAME']}: ${(await machine.readFile('/etc/hostname')).trim()}`);
        return 7;
      },
    };
    const { clock, run } = start({ images: ['agent:1'], restartPolicy: 'Never', role });
    await clock.advance(100);
    expect(
      run
        .log('c0', { previous: false })
        ?.lines()
        .map(({ text }) => text),
    ).toEqual(['pod on node as pod: node']);
    expect(run.status()).toMatchObject({ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 7 } } }] });
  });

  it('answers on the ports that its programs serve, until they end', async () => {
    const answers = (): void => {};
    const role: ImageRole = {
      run: async ({ serve }, signal) => {
        serve(8444, answers);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    };
    const { clock, run } = start({ images: ['agent'], restartPolicy: 'Never', role });
    expect(run.listenerOn(8444)).toBeUndefined();
    await clock.advance(100);
    expect([run.listenerOn(8444), run.listenerOn(80)]).toEqual([answers, undefined]);
    run.fail(3);
    await clock.advance(1);
    expect(run.listenerOn(8444)).toBeUndefined();
  });

  it('shows a container the GPUs that its pod was given', async () => {
    const { node, run } = start({ images: ['plain', 'plain'] });
    const [gpu] = node.spec.hardware.gpus;
    node.devices.admit('uid', {
      namespace: 'default',
      name: 'pod',
      requests: [{ container: 'c0', resource: 'nvidia.com/gpu', count: 1 }],
    });
    const context = await run.context('c0');
    expect(context?.env).toMatchObject({ HOSTNAME: 'pod', NVIDIA_VISIBLE_DEVICES: gpu?.uuid });
    expect((await context?.machine.runTool('nvidia-smi', ['-L']))?.stdout.match(/GPU-/g)).toHaveLength(1);
    expect((await run.context('c1'))?.env).not.toHaveProperty('NVIDIA_VISIBLE_DEVICES');
    expect(context?.devices.list()).toMatchObject([{ deviceId: gpu?.uuid, pod: 'pod', container: 'c0' }]);
  });

  it('tells a program to stop, and gives it up after the grace period', async () => {
    let told = false;
    const role: ImageRole = {
      run: (_context, signal) => {
        signal.addEventListener('abort', () => {
          told = true;
        });
        return new Promise(() => {});
      },
    };
    const { clock, run } = start({ images: ['agent'], role });
    await clock.advance(100);
    run.stop(2000);
    await clock.advance(1999);
    expect([told, run.isStopped]).toEqual([true, false]);
    await clock.advance(1);
    expect(run.isStopped).toBe(true);
    expect(run.status().containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  it('goes on with containers that an earlier kubelet started, without counting a restart', async () => {
    const before: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [{ name: 'c0', image: 'plain', imageID: '', ready: true, restartCount: 4, state: { running: {} } }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const { clock, run } = start({}, before);
    await clock.advance(0);
    expect(fingerprint(run.status())).toBe(fingerprint(before));
  });

  it('keeps what an earlier kubelet told of the run before', async () => {
    const terminated = {
      exitCode: 137,
      reason: 'OOMKilled',
      message: 'too much',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:01Z',
    };
    const before: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [
        { name: 'c0', image: '', imageID: '', ready: true, restartCount: 4, state: { running: {} }, lastState: { terminated } },
      ],
    };
    const { clock, run } = start({}, before);
    await clock.advance(0);
    expect(run.status().containerStatuses?.[0]?.lastState).toMatchObject({ terminated });
  });

  it('writes its stamps by the clock of its node', async () => {
    const { clock, run, node } = start({});
    node.skewMs = 3_600_000;
    await clock.advance(100);
    expect(run.status().containerStatuses?.[0]?.state?.running?.startedAt).toBe('2026-01-01T01:00:00Z');
  });
});

describe('what the kubelet keeps of a pod', () => {
  const ready: Pod['status'] = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'c0', image: 'plain', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
  };
  const isActive = (pod: Pod): boolean => projectPod(pod, (image) => image === 'agent').active !== undefined;

  it('is little when nothing is to be done, and all of it otherwise', () => {
    expect(isActive({ ...podOf({}), status: ready })).toBe(false);
    expect(isActive(podOf({}))).toBe(true);
    expect(isActive({ ...podOf({ images: ['agent'] }), status: ready })).toBe(true);
    expect(isActive({ ...podOf({ annotations: { 'run-for-ms': '1' } }), status: ready })).toBe(true);
    expect(isActive({ ...podOf({ images: ['simulator.quartermaster.dev/oom'] }), status: ready })).toBe(true);
    expect(isActive({ ...podOf({ images: ['simulator.quartermaster.dev/other'] }), status: ready })).toBe(false);
    expect(isActive({ ...podOf({}), status: { ...ready, conditions: [{ type: 'Ready', status: 'False' }] } })).toBe(true);
    expect(isActive({ ...podOf({}), status: { phase: 'Succeeded' } })).toBe(false);
    const deleted = podOf({});
    expect(isActive({ ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }, status: ready })).toBe(
      true,
    );
  });
});
