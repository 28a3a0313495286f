import { kinds, podExec, podLog, refOf } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { behaviourPrefix } from '@quartermaster/simulator';
import { describe, expect, it } from 'vitest';
import { agentImage, gpuPod, isReady, namespace } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

/** Logs of containers, through the API server, as they go on. */
export function describeLogs(nodes: () => SimulatedNodes): void {
  describe('logs of containers', () => {
    const run = async (pod: Pod): Promise<void> => {
      await nodes().client.create(kinds.pods, pod);
      await expect.poll(async () => isReady(await nodes().client.get(kinds.pods, refOf(pod))), patience).toBe(true);
    };
    const linesOf = async (name: string, options: Parameters<typeof podLog>[2]): Promise<string[]> => {
      const lines: string[] = [];
      for await (const line of podLog(nodes().client, { namespace, name }, options)) lines.push(line);
      return lines;
    };

    it('begin with what a simulated container is, and go on as its environment wants', async () => {
      const lines = { name: 'lines' };
      await nodes().client.create(kinds.configMaps, { metadata: { namespace, ...lines }, data: { rate: '100' } });
      const valueFrom = { configMapKeyRef: { ...lines, key: 'rate' } };
      await run(gpuPod('writer', 0, {}, { env: [{ name: 'SIMULATED_LOG_LINES_PER_SECOND', valueFrom }] }));
      const followed: string[] = [];
      for await (const line of podLog(nodes().client, { namespace, name: 'writer' }, { follow: true })) {
        followed.push(line);
        if (followed.length === 30) break;
      }
      expect(followed[0]).toBe('simulated container main of image registry.example/plain started');
      expect(followed.slice(2)).toEqual(Array.from({ length: 28 }, (_, index) => `line ${index + 1}`));
    });

    it('are followed from the last lines on, without a gap', async () => {
      const numbers: number[] = [];
      for await (const line of podLog(nodes().client, { namespace, name: 'writer' }, { follow: true, tailLines: 5 })) {
        numbers.push(Number(line.replace('line ', '')));
        if (numbers.length === 30) break;
      }
      const [first = 0] = numbers;
      expect(first).toBeGreaterThan(10);
      expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => first + index));
    });

    it('end with their pod', async () => {
      const ref = { namespace, name: 'writer' };
      const log = podLog(nodes().client, ref, { follow: true, tailLines: 1 });
      expect((await log.next()).value).toMatch(/^line \d+$/);
      await nodes().client.delete(kinds.pods, ref, { gracePeriodSeconds: 1 });
      for await (const line of log) expect(line).toMatch(/^line \d+$/);
    });

    it('give long lines in pieces, and lines from a time on', async () => {
      const long = 'ü'.repeat(30_000);
      await run(gpuPod('long', 0, { [`${behaviourPrefix}log`]: `${long}\nend` }));
      const pieces = await linesOf('long', { maxLineBytes: 16_384, tailLines: 2 });
      expect([pieces.map(({ length }) => length), pieces.slice(0, -1).join('')]).toEqual([[8_192, 8_192, 8_192, 5_424, 3], long]);
      const at = (afterMs: number): string => new Date(Date.now() + afterMs).toISOString();
      expect(await linesOf('long', { sinceTime: at(3_600_000) })).toEqual([]);
      expect(await linesOf('long', { sinceTime: at(-3_600_000), tailLines: 1 })).toEqual(['end']);
    });

    it('are not kept for a reader who does not read', async () => {
      await run(gpuPod('chatter', 0, {}, { image: `${agentImage}:1`, args: ['streams'] }));
      const ref = { namespace, name: 'chatter' };
      const log = podLog(nodes().client, ref, { follow: true });
      await podExec(nodes().client, ref, { command: ['log-lines', '1'] });
      expect(Number((await log.next()).value)).toBe(1);
      const count = 100_000;
      await podExec(nodes().client, ref, { command: ['log-lines', String(count)] });
      let lines = 0;
      for await (const line of log) {
        lines += 1;
        if (Number(line) === count) break;
      }
      expect(lines).toBeLessThan(count / 2);
    });
  });
}
