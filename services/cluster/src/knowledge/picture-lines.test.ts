import { createLogger } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { activate, bookOf, claimOf, delta, figures, podOf, reserve } from '../../test/sample-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import { InventoryPicture } from './inventory-picture.ts';
import { pictureLines } from './picture-lines.ts';

/** A cluster of so many nodes, on each of which a reservation waits for one of its two pods. */
function world(size: number) {
  const nodes = Array.from({ length: size }, (_, at) => node(`node-${at}`));
  const local = { name: 'local', freeBytes: new Map(nodes.map(({ name }) => [name, Gi])) };
  const book = bookOf(nodes, [local], { nodePorts: 2000 });
  const leases = nodes.map((_, at) => activate(book, reserve(book, `order-${at}`, one({ count: 2, randomPorts: 1 }))));
  const pods = leases.map((lease, at) => podOf(lease, { uid: `pod-${at}` }));
  pods.push({ ...podOf({ name: 'nobody', plan: leases[0]?.plan ?? { units: [], ports: 0, ips: 0 } }, { uid: 'gone', node: 'gone' }) });
  const change = delta({
    kind: 'whole',
    nodes: nodes.map(figures),
    classes: [{ facts: local }],
    pods,
    volumes: [claimOf('order-0', { bytes: 5, storageClass: 'local' })],
  });
  book.takeInventory(change);
  book.setNodePorts({ byNamespace: new Map([['order-0-1', 1]]), others: 3 });
  book.setIpPool({ total: 9, free: 7, byNamespace: new Map([['order-0-1', 1]]), observedAt: 5 });
  const picture = new InventoryPicture();
  picture.take(change);
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  for (const fields of pictureLines(picture, book)) log.debug('all', fields);
  return lines;
}

describe('the complete picture in the log', () => {
  it('has everything that is known and promised, with pods and claims added up where they are', () => {
    const [all, nodes, classes, reservations] = world(2).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(all).toMatchObject({
      knowledge: { protocol: 'deltas' },
      counts: { nodes: 2, storageClasses: 1, pods: 3, claims: 1, reservations: 2 },
      ports: { quantity: 2000, ofLeases: 1, others: 3 },
      addresses: { total: 9, free: 7, ofLeases: 1, observedAt: 5 },
    });
    expect(nodes).toMatchObject({
      ...{ from: 0, of: 3 },
      nodes: [
        { name: 'node-0', pods: 2, ofPods: { cpuMillis: 2000 }, held: { cpuMillis: 0 }, allocatable: { cpuMillis: 16_000 } },
        { name: 'node-1', pods: 0, held: { cpuMillis: 2000 } },
        { name: 'gone', pods: 1, ofPods: { memoryBytes: Gi } },
      ],
    });
    expect(classes?.['storageClasses']).toMatchObject([{ name: 'local', nodes: 2, freeBytes: 2 * Gi, claims: 1, ofClaims: 5, held: 0 }]);
    expect(reservations?.['reservations']).toMatchObject([
      { name: 'order-0', phase: 'active', namespace: 'ns-order-0', pods: 1, claims: 1, waiting: 1, held: { cpuMillis: 1000, ports: 0 } },
      { name: 'order-1', pods: 1, claims: 0, waiting: 1, held: { ports: 1 } },
    ]);
  });

  it('leaves nothing out of a large cluster, and no line grows with it', () => {
    const lines = world(1000);
    const rows = lines.flatMap((line) => {
      const { nodes = [], reservations = [] } = JSON.parse(line) as Record<string, { name: string }[]>;
      return [...nodes, ...reservations].map(({ name }) => name);
    });
    expect(new Set(rows).size).toBe(2001);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60_000);
  });
});
