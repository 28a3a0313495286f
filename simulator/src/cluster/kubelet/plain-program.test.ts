import { FakeClock } from '@quartermaster/kernel';
import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { SimulatedMachine } from '../machine/simulated-machine.ts';
import { type KubeletContainer, logRateVariable, projectPod } from '../pods/kubelet-pod.ts';
import type { ContainerContext } from './image-registry.ts';
import { plainProgram } from './plain-program.ts';

const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 }, 'node', 1);
const container: KubeletContainer = { name: 'web', image: 'nginx:1', command: [], args: [], env: [], tellsLogOnError: false };

function start(env: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}) {
  const clock = new FakeClock();
  const ending = new AbortController();
  const lines: string[] = [];
  const context: ContainerContext = {
    node: { name: 'node', address: '10.240.0.1', hardware },
    pod: { namespace: 'default', name: 'pod', uid: 'uid', ip: '10.64.1.2', labels: {}, annotations: {} },
    container: { name: 'web', image: 'nginx:1', args: [] },
    env,
    machine: new SimulatedMachine({ hostname: 'node', hardware }),
    devices: { list: () => [] },
    serve: () => {},
    log: (text) => lines.push(...text.split('\n')),
  };
  const running = plainProgram(container, annotations, clock)(context, ending.signal);
  return { clock, ending, lines, running };
}

describe('a container without a program', () => {
  it('says what it is and that nothing real runs', async () => {
    const { clock, lines, ending, running } = start({});
    await clock.advance(3_600_000);
    expect(lines).toEqual(['simulated container web of image nginx:1 started', expect.stringContaining('nothing real runs')]);
    ending.abort();
    expect(await running).toBe(0);
  });

  it.each([
    ['2', 1_000, 2],
    ['0.5', 4_000, 2],
    ['100', 1_000, 100],
    ['1000000', 1_000, 1_000],
    ['0', 10_000, 0],
    ['-1', 10_000, 0],
    ['many', 10_000, 0],
  ])('goes on writing with %s lines a second', async (rate, afterMs, expected) => {
    const { clock, lines } = start({ [logRateVariable]: rate });
    await clock.advance(afterMs);
    const written = lines.slice(2);
    expect(written).toEqual(Array.from({ length: expected }, (_, index) => `line ${index + 1}`));
  });

  it('writes no more once it has ended, by itself or by others', async () => {
    const stopped = start({ [logRateVariable]: '10' });
    await stopped.clock.advance(500);
    stopped.ending.abort();
    const ended = start({ [logRateVariable]: '10' }, { 'simulator.quartermaster.dev/run-for-ms': '500' });
    await ended.clock.advance(550);
    for (const { clock, lines, running } of [stopped, ended]) {
      await running;
      const before = lines.length;
      await clock.advance(5_000);
      expect(lines).toHaveLength(before);
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('needs care for as long as it writes', () => {
    const podWith = (name: string): Pod => ({
      metadata: { name: 'web' },
      spec: { nodeName: 'node', containers: [{ name: 'web', image: 'nginx', env: [{ name, value: '1' }] }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'web',
            image: 'nginx',
            imageID: '',
            ready: true,
            restartCount: 0,
            state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          },
        ],
      },
    });
    const isActive = (name: string): boolean => projectPod(podWith(name), () => false).active !== undefined;
    expect([isActive(logRateVariable), isActive('OTHER')]).toEqual([true, false]);
  });
});
