import { kinds, podExec, podLog, refOf } from '@quartermaster/kube';
import { behaviourPrefix } from '@quartermaster/simulator';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../kube/loopback.ts';
import { agentImage, gpuPod, isReady, namespace } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

/** What goes through the API server to the kubelets: logs and commands. */
export function describeStreams(nodes: () => SimulatedNodes): void {
  describe('containers', () => {
    it('answers logs through the API server', async () => {
      const pod = gpuPod('talker', 0, { [`${behaviourPrefix}log`]: 'first\nsecond\nthird' });
      await nodes().client.create(kinds.pods, pod);
      await expect.poll(async () => isReady(await nodes().client.get(kinds.pods, refOf(pod))), patience).toBe(true);
      const lines: string[] = [];
      for await (const line of podLog(nodes().client, refOf(pod), { tailLines: 2 })) lines.push(line);
      expect(lines).toEqual(['second', 'third']);
      expect(await nodes().kubectl(['logs', 'talker', '--tail=1'])).toBe('third\n');
      expect(await nodes().kubectl(['logs', 'talker', '--timestamps', '--tail=1'])).toMatch(/^\d{4}-\d\d-\d\dT\S+Z third\n$/);
    });

    it('follows the log of a container until it ends', async () => {
      const pod = gpuPod('counter', 0, {}, { image: `${agentImage}:1`, args: ['count', '5'] });
      await nodes().client.create(kinds.pods, {
        ...pod,
        spec: { ...pod.spec, containers: pod.spec?.containers ?? [], restartPolicy: 'Never' },
      });
      await expect
        .poll(async () => (await nodes().client.get(kinds.pods, refOf(pod))).status?.phase, patience)
        .toMatch(/Running|Succeeded/);
      expect(await nodes().kubectl(['logs', '--follow', 'counter'])).toBe('1\n2\n3\n4\n5\n');
      await expect.poll(async () => (await nodes().client.get(kinds.pods, refOf(pod))).status?.phase, patience).toBe('Succeeded');
    });

    it('runs commands in containers, with their output, input and exit codes', async () => {
      const pod = { namespace, name: 'talker' };
      const result = await podExec(nodes().client, pod, { command: ['cat', '/proc/driver/nvidia/gpus/0000:10:00.0/information'] });
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('NVIDIA H100') });
      expect(await podExec(nodes().client, pod, { command: ['sh', '-c', 'echo out; nonsense; exit 3'] })).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: expect.stringContaining('nonsense: not found'),
      });
      expect(await nodes().kubectl(['exec', 'talker', '--', 'hostname'])).toBe('talker\n');
      expect(await nodes().kubectl(['exec', '--stdin', 'talker', '--', 'cat'], 'through the stream')).toBe('through the stream');
      expect((await nodes().cluster.kubectl(['exec', 'talker', '--', 'false'])).exitCode).toBe(1);
      expect((await nodes().cluster.kubectl(['exec', 'talker', '--container=other', '--', 'true'])).stderr).toContain('container');
    });

    it('lets nobody in at the kubelet who is not the API server', async () => {
      const { status } = await nodes().client.get(kinds.nodes, { name: 'gpu-5' });
      const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
      const answer = await statusOf(`https://127.0.0.1:${port}/healthz`, { authority: nodes().cluster.kubelet.clientAuthority ?? '' });
      expect(answer).toBeUndefined();
    });
  });
}
