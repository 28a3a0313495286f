/**
 * Five watchers of all pods and sixteen writers, in a process of their own. Counts what the watchers get of the writers' changes, all watchers
 * together. Prints the rate as its last line.
 */
import { KubeClient, kinds } from '@quartermaster/kube';

const [kubeconfig = '', seconds = ''] = process.argv.slice(2);
const watchers = 5;
const writers = 16;
const pods = 200;
const namespace = 'bench-events';
const lineEnd = 0x0a;

const client = await KubeClient.connect({ kubeconfig });

/** Counts events without reading them, so that the watchers cost as little as they can. */
async function watchPods(resourceVersion: string, onEvents: (count: number) => void): Promise<void> {
  const { body } = await client.transport.open({
    what: 'watch pods',
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/pods`,
    query: { watch: true, resourceVersion },
  });
  body.on('data', (chunk: Buffer) => {
    let count = 0;
    for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) count += 1;
    onEvents(count);
  });
}

await client.create(kinds.namespaces, { metadata: { name: namespace } });
const names = Array.from({ length: pods }, (_, index) => `pod-${index}`);
// A namespace has the account that its pods need a moment after it was created.
while ((await client.find(kinds.serviceAccounts, { namespace, name: 'default' })) === undefined);
for (const name of names) {
  // Of a scheduler that nobody runs: nothing but the writers changes them.
  const spec = { schedulerName: 'nobody', containers: [{ name: 'main', image: 'registry.invalid/bench' }] };
  await client.create(kinds.pods, { metadata: { namespace, name, labels: { app: 'bench' } }, spec });
}
const { resourceVersion } = await client.list(kinds.pods, { namespace, limit: 1 });

let delivered = 0;
let written = 0;
let toldAll: () => void = () => undefined;
const arrived = new Promise<void>((resolve) => {
  toldAll = resolve;
});
let isWriting = true;
const check = (): void => {
  if (!isWriting && delivered >= written * watchers) toldAll();
};
await Promise.all(
  Array.from({ length: watchers }, () =>
    watchPods(resourceVersion, (count) => {
      delivered += count;
      check();
    }),
  ),
);

const startedAt = performance.now();
const write = async (writer: number): Promise<void> => {
  for (let turn = 0; performance.now() - startedAt < Number(seconds) * 1000; turn += 1) {
    const name = names[(writer + turn * writers) % pods] ?? '';
    await client.patch(kinds.pods, { namespace, name }, { kind: 'merge', body: { metadata: { annotations: { turn: `${turn}` } } } });
    written += 1;
  }
};
await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
isWriting = false;
check();
await arrived;
console.log(delivered / ((performance.now() - startedAt) / 1000));
process.exit(0);
