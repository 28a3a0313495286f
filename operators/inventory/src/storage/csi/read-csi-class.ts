import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { sumOfNodes } from '../querier/sum-of-nodes.ts';
import type { Segment } from './csi-segments.ts';

export interface CsiView {
  readonly segments: readonly Segment[];
  /** Node -> what is promised to volumes of the class there; under the empty name those that any node can use or that have none yet. */
  readonly promised: ReadonlyMap<string, CsiPromise>;
  readonly observedAt: number;
}

export interface CsiPromise {
  readonly bytes: number;
  /** Of them, those for which the driver has made no volume yet: it still counts their space as left. */
  readonly waitingBytes: number;
}

const nothing: CsiPromise = { bytes: 0, waitingBytes: 0 };

/**
 * What one class can hold. What drivers publish is what is left, so what is promised comes on top of it; only claims that still wait are taken off. Pure: all that it
 * knows is in the view.
 */
export function readCsiClass({ name, provisioner, parameters }: StorageClassFacts, view: CsiView): StorageReading {
  const { segments, promised, observedAt } = view;
  if (segments.length === 0) {
    const what = `${provisioner} publishes no capacity of class ${name} that a node can reach`;
    return noFigures('CapacityUnknown', what, 'see the log of the driver and the labels of the nodes');
  }
  const isNodeLocal = segments.every(({ isOneNode, nodes }) => isOneNode && nodes.length === 1);
  const perNode = isNodeLocal ? perNodeOf(segments, promised) : undefined;
  return {
    known: true,
    amount: perNode === undefined ? wholeOf(segments, promised) : sumOfNodes(perNode.values(), promised.get('')?.bytes ?? 0),
    // Classes of one driver with the same settings draw on the same space.
    space: `csi/${provisioner}/${JSON.stringify(Object.entries(parameters).filter(isNotOfTheFramework).toSorted(byName))}`,
    largestVolumeBytes: Math.max(...segments.map(({ largestVolumeBytes }) => largestVolumeBytes)),
    observedAt,
    perNode,
  };
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
const isNotOfTheFramework = ([key]: [string, string]): boolean => !key.startsWith('csi.storage.k8s.io/');

function perNodeOf(segments: readonly Segment[], promised: ReadonlyMap<string, CsiPromise>): ReadonlyMap<string, Amount> {
  const free = segments.map(({ nodes: [node = ''], freeBytes }): [string, number] => [node, freeBytes]);
  return new Map(free.toSorted(byName).map(([node, freeBytes]) => [node, onTopOf(freeBytes, promised.get(node) ?? nothing)]));
}

function wholeOf(segments: readonly Segment[], promised: ReadonlyMap<string, CsiPromise>): Amount {
  const freeBytes = segments.reduce((sum, segment) => sum + segment.freeBytes, 0);
  const all = [...promised.values()].reduce(
    (sum, each) => ({ bytes: sum.bytes + each.bytes, waitingBytes: sum.waitingBytes + each.waitingBytes }),
    nothing,
  );
  return onTopOf(freeBytes, all);
}

function onTopOf(freeBytes: number, { bytes, waitingBytes }: CsiPromise): Amount {
  const whole = freeBytes + bytes - waitingBytes;
  return amount(whole, whole, bytes);
}
