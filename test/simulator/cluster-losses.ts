import { keyText, kinds, podExec, podLog, refOf } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { reasonsOf } from './cluster-events.ts';
import { nodeCount } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

const lost = 'gpu-0';

/** What happens when hardware goes. Needs the Deployment `training` of the workloads, 100 pods with a GPU each. */
export function describeLosses(nodes: () => SimulatedNodes): void {
  describe('losses', () => {
    it('takes a lost GPU out of what the node can give away', async () => {
      await nodes().pool.loseGpus('gpu-1', 2);
      const { status } = await nodes().client.get(kinds.nodes, { name: 'gpu-1' });
      expect([status?.capacity?.['nvidia.com/gpu'], status?.allocatable?.['nvidia.com/gpu']]).toEqual(['8', '6']);
      await nodes().pool.restoreGpus('gpu-1');
      expect((await nodes().client.get(kinds.nodes, { name: 'gpu-1' })).status?.allocatable?.['nvidia.com/gpu']).toBe('8');
    });

    it('moves the pods of a node that dies to others, where logs and exec answer', async () => {
      const { client, pool, running } = nodes();
      const before = (await running('training')).filter(({ spec }) => spec?.nodeName === lost);
      expect(before.length).toBeGreaterThan(0);
      const elsewhere = new Set((await running('training')).flatMap((pod) => (before.includes(pod) ? [] : [pod.metadata?.uid])));
      pool.loseNode(lost);
      const alive = async () =>
        (await running('training')).filter(({ spec, metadata }) => spec?.nodeName !== lost && metadata?.deletionTimestamp === undefined);
      await expect.poll(async () => (await alive()).length, patience).toBe(100);
      const dead = await client.get(kinds.nodes, { name: lost });
      expect(dead.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');

      const moved = (await alive()).filter(({ metadata }) => !elsewhere.has(metadata?.uid));
      expect(moved.length).toBeGreaterThanOrEqual(before.length);
      for (const pod of moved) {
        const { stdout } = await podExec(client, refOf(pod), { command: ['hostname'] });
        expect(stdout).toBe(`${pod.metadata?.name}\n`);
        const lines: string[] = [];
        for await (const line of podLog(client, refOf(pod))) lines.push(line);
        expect(lines[0]).toContain('started');
      }
      const [stranded] = before;
      if (stranded === undefined) throw new Error('no pod was on the node');
      await expect(podExec(client, refOf(stranded), { command: ['hostname'] })).rejects.toThrow(/^exec in pods/);
      // Controllers write Events beside their work, and later.
      await expect.poll(async () => await reasonsOf(nodes(), 'Node', lost), patience).toContain('Normal NodeNotReady');
      await expect
        .poll(async () => await reasonsOf(nodes(), 'Pod', stranded.metadata?.name ?? ''), patience)
        .toEqual(expect.arrayContaining(['Warning NodeNotReady', 'Normal TaintManagerEviction']));
    });

    it('takes the node back, without the pods that it had', async () => {
      const { client, pool, podsOf } = nodes();
      const old = (await podsOf('training')).filter(({ spec }) => spec?.nodeName === lost).map((pod) => keyText(refOf(pod)));
      expect(old.length).toBeGreaterThan(0);
      await pool.restoreNode(lost);
      await expect.poll(async () => (await podsOf('training')).filter((pod) => old.includes(keyText(refOf(pod)))), patience).toEqual([]);
      await expect.poll(async () => (await client.get(kinds.nodes, { name: lost })).spec?.taints ?? [], patience).toEqual([]);
      await expect.poll(async () => (await podsOf('training')).length, patience).toBe(100);
    });

    it('never had pods on a node that asked for more GPUs than it has', () => {
      const most = [...nodes().gpus.most];
      expect(most.length).toBe(nodeCount);
      expect(most.filter(([, gpus]) => gpus > 8)).toEqual([]);
      expect(Math.max(...most.map(([, gpus]) => gpus))).toBeGreaterThan(0);
    });
  });
}
