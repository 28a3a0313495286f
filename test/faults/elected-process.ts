/**
 * A candidate in several namespaces that writes as fast as it can wherever it leads: started twice by the test, which pauses one of the two.
 * Each step creates the next entry of a list and counts it in one shared object, by each kind of write in turn, and each write
 * carries the version that was read and the term of the leadership that it was made in.
 */
import { codeOf, messageOf } from '@quartermaster/kernel';
import { FencedWriter, KubeClient, kinds, LeaderElection, type Leadership } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';

const [kubeconfig = '', identity = '', ...namespaces] = process.argv.slice(2);
const client = await KubeClient.connect({ kubeconfig });
const stateOf = (namespace: string) => ({ namespace, name: 'state' });
const controller = new AbortController();
process.on('disconnect', () => controller.abort());

async function step(namespace: string, writer: FencedWriter, { signal, term }: Leadership): Promise<void> {
  const before = await client.get(kinds.configMaps, stateOf(namespace), { signal });
  const count = Number(before.data?.['count'] ?? 0);
  const data = { count: String(count + 1), writer: identity, term: String(term) };
  await writer.create(kinds.configMaps, { metadata: { namespace, name: `entry-${count}` }, data }).catch((error: unknown) => {
    if (codeOf(error) !== 'already_exists') throw error;
  });
  await writeState(writer, before, data, count);
}

async function writeState(writer: FencedWriter, before: ConfigMap, data: Record<string, string>, count: number): Promise<void> {
  const { resourceVersion = '', namespace = '' } = before.metadata ?? {};
  const state = stateOf(namespace);
  switch (count % 4) {
    case 0:
      await writer.replace(kinds.configMaps, { ...before, data });
      return;
    case 1:
      await writer.patch(kinds.configMaps, state, { kind: 'merge', body: { metadata: { resourceVersion }, data } });
      return;
    case 2:
      await writer.patch(kinds.configMaps, state, {
        kind: 'json',
        operations: [
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          { op: 'replace', path: '/data', value: data },
        ],
      });
      return;
    default: {
      const metadata = { ...state, resourceVersion, uid: before.metadata?.uid ?? '' };
      await writer.apply(kinds.configMaps, { metadata, data }, { fieldManager: identity, force: true });
    }
  }
}

async function lead(namespace: string, leadership: Leadership): Promise<void> {
  const writer = new FencedWriter(client, leadership);
  while (!leadership.signal.aborted) {
    try {
      await step(namespace, writer, leadership);
    } catch (error) {
      // A refused write is the point of the exercise; the next step reads again.
      if (!leadership.signal.aborted) process.send?.({ refused: messageOf(error) });
    }
  }
}

const timing = { leaseDurationMs: 1_000, renewDeadlineMs: 700, retryIntervalMs: 100 };
await Promise.all(
  namespaces.map((namespace) =>
    new LeaderElection({ client, namespace, name: 'lead', identity, ...timing }).run(
      (leadership) => lead(namespace, leadership),
      controller.signal,
    ),
  ),
);
await client.close();
