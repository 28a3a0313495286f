import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { MutantServer } from './mutant-server.ts';
import { gib, KnownNodes, volume, watchStorage } from './storage-fixtures.ts';

const node = 'n1';
const driver = 'topolvm.io';
const claimsPath = '/api/v1/persistentvolumeclaims';
const capacitiesPath = '/apis/storage.k8s.io/v1/csistoragecapacities';

let version = 0;
const named = (name: string, more: object = {}, metadata: object = {}) => {
  version += 1;
  return { metadata: { name, uid: `uid-of-${name}`, resourceVersion: `${version}`, ...metadata }, ...more } as KubeObject;
};

const classes = { x: 'ssd', y: 'ssd', other: 'hdd' };
const capacity = (className: string, gibs: number) =>
  named(
    `of-${className}`,
    { storageClassName: className, nodeTopology: { matchLabels: { 'kubernetes.io/hostname': node } }, capacity: `${gibs}Gi` },
    { namespace: 'default' },
  );
const made = (name: string, className: string, size: string, times: object = {}) => {
  const { metadata, ...more } = volume(name, className, size, { csi: { driver, volumeHandle: name } }, node);
  return named(name, more, { ...metadata, ...times });
};
const claim = (name: string, className: string, size: string, annotations: object = {}) =>
  named(
    name,
    { spec: { storageClassName: className, volumeName: '', resources: { requests: { storage: size } } } },
    { namespace: 'default', annotations },
  );

/** Tells it again each time: a watch may be opened a moment after the list was read. */
const after =
  <T>(tell: () => void, look: () => T) =>
  () => {
    tell();
    return look();
  };

it('takes volumes that a driver has just made, and claims that wait, off all classes with the same space', async () => {
  await using server = await MutantServer.start();
  const parameters = (device: string) => ({ provisioner: driver, parameters: { 'topolvm.io/device-class': device } });
  server.put(
    '/apis/storage.k8s.io/v1/storageclasses',
    Object.entries(classes).map(([name, device]) => named(name, parameters(device))),
  );
  server.put(
    capacitiesPath,
    Object.keys(classes).map((name) => capacity(name, 100)),
  );
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  const known = new KnownNodes();
  known.set(node, undefined);
  const watch = watchStorage(client, known);
  const figures = (figure: 'available' | 'allocated') => () =>
    Object.keys(classes).map(
      (name) =>
        (watch
          .current()
          .find((each) => each.class === name)
          ?.perNode?.get(node)?.[figure] ?? -1) / gib,
    );
  const totals = () =>
    Object.keys(classes).map((name) => (watch.current().find((each) => each.class === name)?.amount?.available ?? -1) / gib);
  try {
    await expect.poll(figures('available')).toEqual([100, 100, 100]);
    const one = () => server.send('/api/v1/persistentvolumes', made('one', 'x', '20Gi'));
    await expect.poll(after(one, figures('available'))).toEqual([80, 80, 100]);
    // Each class has an object of its own, and none speaks for another.
    const published = () => {
      server.send(capacitiesPath, capacity('x', 80));
      server.send(capacitiesPath, capacity('other', 90));
    };
    await expect.poll(after(published, figures('available'))).toEqual([80, 80, 90]);
    server.send(capacitiesPath, capacity('y', 80));
    const waiting = (size: string) => () =>
      server.send(claimsPath, claim('two', 'y', size, { 'volume.kubernetes.io/selected-node': node }));
    await expect.poll(after(waiting('90Gi'), figures('available'))).toEqual([0, 0, 90]);
    expect(figures('allocated')()).toEqual([20, 90, 0]);
    await expect.poll(after(waiting('10Gi'), totals)).toEqual([70, 70, 90]);
    server.send(claimsPath, claim('three', 'x', '5Gi'));
    await expect.poll(totals).toEqual([65, 65, 90]);
    expect(figures('available')()).toEqual([70, 70, 90]);
  } finally {
    await watch.stop();
    await client.close();
  }
});

it('takes off what a driver made just before the first look, and not what it made long ago', async () => {
  await using server = await MutantServer.start();
  const ago = (minutes: number) => ({ creationTimestamp: new Date(Date.now() - minutes * 60_000).toISOString() });
  server.put('/apis/storage.k8s.io/v1/storageclasses', [named('x', { provisioner: driver })]);
  server.put(capacitiesPath, [capacity('x', 100)]);
  server.put('/api/v1/persistentvolumes', [made('new', 'x', '20Gi', ago(0)), made('old', 'x', '30Gi', ago(60))]);
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  const known = new KnownNodes();
  known.set(node, undefined);
  const watch = watchStorage(client, known);
  try {
    await expect.poll(() => (watch.current()[0]?.perNode?.get(node)?.available ?? -1) / gib).toBe(80);
  } finally {
    await watch.stop();
    await client.close();
  }
});
