import { nodeFigures } from '@quartermaster/cluster/testing';
import { InventoryLedger, knowledge, nodeMessage, testGpu, testHardware, testNode, testPod } from '@quartermaster/inventory/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const resource = 'nvidia.com/gpu';
/** H100 and T4, by their PCI ids. */
const products = ['2330', '1eb8'];
const amounts = fc.constantFrom(0, 100, 5_000, 20_000);
const gi = 2 ** 30;

/** A node with cards of two models, some of them sick, and pods that really have certain cards, whether the kubelet tells or not. */
const world = fc.record({
  cards: fc.array(fc.record({ product: fc.constantFrom(...products), isSick: fc.boolean() }), { maxLength: 6 }),
  isOneWithheld: fc.boolean(),
  pods: fc.array(fc.record({ cpu: amounts, memoryGi: fc.nat(40), ramGi: fc.nat(20), cards: fc.nat(2), isTold: fc.boolean() }), {
    maxLength: 4,
  }),
});

describe('the figures that follow from what the operator publishes', () => {
  it('are what it calls available, forget nothing that is promised too much, and promise no card of a kind that the plugin may not give', () => {
    fc.assert(
      fc.property(world, ({ cards, isOneWithheld, pods }) => {
        const ledger = new InventoryLedger(knowledge);
        const offered = Math.max(cards.length - (isOneWithheld ? 1 : 0), 0);
        const node = testNode('n1', { [resource]: String(cards.length) });
        ledger.setNode({ ...node, allocatable: { ...node.allocatable, [resource]: String(offered) } }, 0);
        const gpus = cards.map(({ product, isSick }, i) => testGpu(i, product, { health: { state: isSick ? 'unhealthy' : 'healthy' } }));
        // The scheduler gives away what is offered, and the device plugin picks: here from the last on. If it withholds one, then a sick one if it can.
        const sick = cards.findIndex(({ isSick }) => isSick);
        const left = offered === cards.length ? [...gpus] : gpus.toSpliced(Math.max(sick, 0), 1);
        const devices: { resource: string; deviceId: string; namespace: string; pod: string; container: string }[] = [];
        let requested = 0;
        for (const [i, pod] of pods.entries()) {
          const held = left.splice(-Math.min(pod.cards, left.length) || left.length);
          requested += held.length;
          for (const { uuid = '' } of pod.isTold ? held : [])
            devices.push({ resource, deviceId: uuid, namespace: 'lease-1', pod: `pod-${i}`, container: 'c' });
          const requests = {
            cpuMillis: pod.cpu,
            memoryBytes: pod.memoryGi * gi,
            ramBytes: pod.ramGi * gi,
            extended: held.length === 0 ? {} : { [resource]: held.length },
          };
          ledger.setPod(testPod(`pod-${i}`, 'n1', requests), 0);
        }
        ledger.setHardware('n1', testHardware(gpus), { devices }, 0);
        const view = ledger.nodeView('n1');
        if (view === undefined) throw new Error('the node is known');
        const { facts } = nodeFigures(nodeMessage(view));

        const sum = (of: (pod: (typeof pods)[number]) => number) => pods.reduce((total, pod) => total + of(pod), 0);
        expect([facts.cpuMillis, facts.memoryBytes]).toEqual([
          view.cpu.allocatable - sum(({ cpu }) => cpu),
          // By what the scheduler counts, and by what it does not.
          view.memory.allocatable - sum(({ memoryGi, ramGi }) => memoryGi + ramGi) * gi,
        ]);
        expect(Math.max(facts.cpuMillis, 0)).toBe(view.cpu.available);
        expect(Math.max(facts.memoryBytes, 0)).toBe(view.memory.available);
        expect(facts.heldBack.length === 0).toBe(view.sellability.state === 'sellable');

        const [pool] = facts.cards;
        if (pool?.assignedBy !== 'plugin') {
          expect(cards).toEqual([]);
          return;
        }
        const fit = left.filter(({ health }) => health.state === 'healthy');
        expect(Math.max(pool.free, 0)).toBe(view.gpus.reduce((total, { amount }) => total + amount.available, 0));
        expect(pool.free).toBeLessThanOrEqual(Math.min(offered - requested, fit.length));
        // What the plugin may hand out next, sick or not.
        const models = new Set(pool.mayBeFree.map(({ model }) => model));
        for (const { productId } of left) expect(models).toContain(productId === '2330' ? 'h100' : 't4');
      }),
      { numRuns: 500 },
    );
  });
});
