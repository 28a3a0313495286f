import { failureOf, kinds, podPortForward, proxyText, refOf } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { agentImage, gpuPod, isReady, namespace } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

const server = { namespace, name: 'server' };
const page = (port: number, request: string): RegExp => new RegExp(`^${namespace}/server:${port} ${request}\n$`);

/** The ports of pods, through an API server that can reach them; `more` is what not every one does. */
export function describeNetwork(nodes: () => SimulatedNodes, more: (nodes: () => SimulatedNodes) => void = () => {}): void {
  describe('ports of containers', () => {
    it('are reached by the proxy of their pod: the one that is named, or the first', async () => {
      const { client } = nodes();
      const ports = [{ containerPort: 8080 }, { containerPort: 9090, name: 'metrics' }];
      const pod = gpuPod('server', 0, {}, { image: `${agentImage}:1`, args: ['serve', '8080', '9090'], ports });
      await client.create(kinds.pods, { ...pod, metadata: { ...pod.metadata, labels: { app: 'server' } } });
      await expect.poll(async () => isReady(await client.get(kinds.pods, server)), patience).toBe(true);
      expect(await proxyText(client, kinds.pods, server, '/')).toMatch(page(8080, 'GET /'));
      expect(await proxyText(client, kinds.pods, server, '/a/b%20c/', { port: 9090 })).toMatch(page(9090, 'GET /a/b%20c/'));
      const posted = await proxyText(client, kinds.pods, server, '/submit', { method: 'POST', body: '{}', scheme: 'http', port: 8080 });
      expect(posted).toMatch(page(8080, 'POST /submit(\\?timeout=\\w+)?'));
    });

    it('that nobody listens on refuse the proxy', async () => {
      const failed = await proxyText(nodes().client, kinds.pods, server, '/', { port: 81 }).catch((error: unknown) => failureOf(error));
      expect(failed).toMatchObject({ kind: 'server', status: 503 });
    });

    it('are forwarded by the client', async () => {
      const { input, output } = await podPortForward(nodes().client, server, 8080);
      let answer = '';
      output.on('data', (chunk: Buffer) => {
        answer += chunk.toString('utf8');
      });
      input.write('GET /forwarded HTTP/1.1\r\nhost: pod\r\n\r\n');
      await expect.poll(() => answer, patience).toContain('GET /forwarded\n');
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      input.end();
    });

    more(nodes);

    it('stay where they are when the pod has gone', async () => {
      const { client } = nodes();
      await client.delete(kinds.pods, server, { gracePeriodSeconds: 0 });
      await expect.poll(async () => await client.find(kinds.pods, server), patience).toBeUndefined();
      await expect(podPortForward(client, server, 8080)).rejects.toThrow(/port-forward to/);
      expect(await proxyText(client, kinds.pods, refOf({ metadata: server }), '/').catch(failureOf)).toMatchObject({ kind: 'not-found' });
    });
  });
}

/** The simulated API server answers that it does not support these. */
export function describeServiceProxy(nodes: () => SimulatedNodes): void {
  it('are reached by the proxy of a service, by the port that it names', async () => {
    const { client } = nodes();
    await client.create(kinds.services, {
      metadata: { namespace, name: 'front' },
      spec: {
        selector: { app: 'server' },
        ports: [
          { name: 'web', port: 80, targetPort: 8080 },
          { name: 'metrics', port: 81, targetPort: 'metrics' },
        ],
      },
    });
    const front = { namespace, name: 'front' };
    const through = async (port: number): Promise<string> =>
      await proxyText(client, kinds.services, front, 'index', { port }).catch((error: unknown) => String(error));
    await expect.poll(async () => await through(80), patience).toMatch(page(8080, 'GET /index'));
    expect(await through(81)).toMatch(page(9090, 'GET /index'));
    expect(await through(82)).toContain('no service port 82 found');
  });
}
