import type { ApplyOptions, KubeReader, KubeWriter, ReadableCache } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode } from '../../test/ledger-fixtures.ts';
import { InventoryLedger } from '../ledger/inventory-ledger.ts';
import { LabelReconciler, labelFieldManager } from './label-reconciler.ts';

type Labels = Readonly<Record<string, string>>;

/** A server that keeps one node's labels and who applied which of them. */
class FakeNode {
  labels: Record<string, string>;
  owned = new Set<string>();
  readonly writes: Labels[] = [];
  reads = 0;
  #version = 1;

  constructor(labels: Labels = {}) {
    this.labels = { ...labels };
  }

  readonly cache: Pick<ReadableCache<{ readonly labels: Labels }>, 'get'> = {
    get: (key) => ({ key, uid: 'uid-of-n1', resourceVersion: String(this.#version), value: { labels: { ...this.labels } } }),
  };

  readonly reader = {
    find: async () => {
      this.reads += 1;
      const fields = Object.fromEntries([...this.owned].map((key) => [`f:${key}`, {}]));
      const managedFields = [{ manager: labelFieldManager, operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:labels': fields } } }];
      return { metadata: { name: 'n1', managedFields } } satisfies Node;
    },
  };

  readonly writer = {
    apply: async (_type: unknown, object: Node, { decidedOn }: ApplyOptions) => {
      const { uid, resourceVersion } = typeof decidedOn === 'object' ? decidedOn : {};
      if (object.metadata?.name !== 'n1' || uid !== 'uid-of-n1' || resourceVersion !== String(this.#version)) {
        throw new Error('the precondition is missing');
      }
      const labels = object.metadata?.labels ?? {};
      for (const key of this.owned) if (labels[key] === undefined) delete this.labels[key];
      Object.assign(this.labels, labels);
      this.owned = new Set(Object.keys(labels));
      this.writes.push(labels);
      this.#version += 1;
      return object;
    },
  };
}

function setUp(server = new FakeNode()) {
  const ledger = new InventoryLedger(knowledge);
  ledger.setHardware('n1', testHardware([testGpu(0)]), undefined, 0);
  ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '1' }), 0);
  const start = () =>
    new LabelReconciler({
      nodes: server.cache as ReadableCache<{ readonly labels: Labels }>,
      view: (name) => ledger.nodeView(name),
      reader: server.reader as Pick<KubeReader, 'find'>,
      writer: server.writer as Pick<KubeWriter, 'apply'>,
    });
  return { ledger, server, start };
}

const signal = new AbortController().signal;

describe('LabelReconciler', () => {
  it('writes once, and nothing more however often it runs or is started anew', async () => {
    const { server, start } = setUp(new FakeNode({ rack: 'r1' }));
    await start().reconcile('n1', signal);
    expect(server.writes).toHaveLength(1);
    expect(server.labels).toMatchObject({ rack: 'r1', 'akash.network': 'true', 'akash.network/capabilities.gpu.model.h100': 'true' });
    for (let i = 0; i < 100; i += 1) await start().reconcile('n1', signal);
    expect(server.writes).toHaveLength(1);
    expect(server.reads).toBe(0);
  });

  it('removes its own labels that are no longer true, and no others', async () => {
    const foreign = { 'akash.network/capabilities.gpu.model.k80': 'true', 'akash.network/custom': 'x' };
    const { ledger, server, start } = setUp(new FakeNode(foreign));
    await start().reconcile('n1', signal);
    ledger.setHardware('n1', testHardware([testGpu(0, '1eb8')]), undefined, 1);
    await start().reconcile('n1', signal);
    expect(server.labels['akash.network/capabilities.gpu.model.h100']).toBeUndefined();
    expect(server.labels).toMatchObject({ ...foreign, 'akash.network/capabilities.gpu.model.t4': 'true' });
    ledger.setNode(testNode('n1', {}, { deleting: true }), 2);
    await start().reconcile('n1', signal);
    expect(server.labels).toEqual(foreign);
  });

  it('asks once whose a label is that looks like its own', async () => {
    const { server, start } = setUp(new FakeNode({ 'akash.network/capabilities.gpu.model.k80': 'true' }));
    const reconciler = start();
    for (let i = 0; i < 5; i += 1) await reconciler.reconcile('n1', signal);
    expect(server.writes).toHaveLength(1);
    expect(server.reads).toBe(1);
  });

  it('sets a label right that somebody changed', async () => {
    const { server, start } = setUp();
    await start().reconcile('n1', signal);
    server.labels['akash.network'] = 'false';
    await start().reconcile('n1', signal);
    expect(server.labels['akash.network']).toBe('true');
  });

  it('does not fight over the presence of GPUs with another operator', async () => {
    const { server, start } = setUp(new FakeNode({ 'nvidia.com/gpu.present': 'false' }));
    for (let i = 0; i < 3; i += 1) await start().reconcile('n1', signal);
    expect(server.labels['nvidia.com/gpu.present']).toBe('false');
    expect(server.writes).toHaveLength(1);
  });

  it('writes nothing while nobody can tell, and keeps what it wrote when it writes something else', async () => {
    const { ledger, server, start } = setUp(new FakeNode({ 'akash.network/capabilities.storage.class.foreign': 'true' }));
    ledger.setStorageClasses([{ name: 'beta2' }, { name: 'beta3' }], 0);
    await start().reconcile('n1', signal);
    const before = { ...server.labels };
    expect(before).toMatchObject({ 'akash.network/capabilities.storage.class.beta3': 'true' });
    ledger.setStorageClasses(undefined, 1);
    ledger.setUnreadCards({ reports: 'all', devices: true, names: false }, 1);
    ledger.setHardware('n1', undefined, undefined, 1);
    await start().reconcile('n1', signal);
    expect([server.writes.length, server.labels]).toEqual([1, before]);
    ledger.setStorageClasses([{ name: 'beta3', undecided: 'everywhere' }], 2);
    await start().reconcile('n1', signal);
    const { 'akash.network/capabilities.storage.class.beta2': gone, ...left } = before;
    expect(gone).toBe('true');
    expect(server.labels).toEqual(left);
    expect(server.owned).not.toContain('akash.network/capabilities.storage.class.foreign');
  });

  it('leaves a node alone that the inventory does not know, or knew as another one', async () => {
    const { ledger, server, start } = setUp();
    await start().reconcile('n2', signal);
    ledger.setNode(testNode('n1', {}, { uid: 'older' }), 1);
    await start().reconcile('n1', signal);
    expect(server.writes).toEqual([]);
  });
});
