import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { sumOfNodes } from '../querier/sum-of-nodes.ts';
import type { Segment } from './csi-segments.ts';

export interface CsiView {
  readonly segments: readonly Segment[];
  /** Node -> what is promised to volumes there; under the empty name those that any node can use or that have none yet. */
  readonly promised: ReadonlyMap<string, CsiPromise>;
  readonly observedAt: number;
}

export interface CsiPromise {
  readonly bytes: number;
  /** Of them, those for which the driver has made no volume yet, or has just made one: it still counts their space as left. */
  readonly waitingBytes: number;
  /** The same of other classes that draw on the same space. */
  readonly besideBytes: number;
  readonly places: readonly string[];
}

export const nothing: CsiPromise = { bytes: 0, waitingBytes: 0, besideBytes: 0, places: [] };

/**
 * What one class can hold. What drivers publish is what is left, so what is promised comes on top of it; only what still waits is taken off. Pure: all that it
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
    amount: perNode === undefined ? wholeOf(segments, promised) : allOf(perNode, promised.get('') ?? nothing),
    counted: countedOf(promised, perNode),
    space: spaceOf({ provisioner, parameters }),
    largestVolumeBytes: Math.max(...segments.map(({ largestVolumeBytes }) => largestVolumeBytes)),
    observedAt,
    perNode,
  };
}

/** Classes of one driver with the same settings draw on the same space. */
export function spaceOf({ provisioner, parameters }: Pick<StorageClassFacts, 'provisioner' | 'parameters'>): string {
  return `csi/${provisioner}/${JSON.stringify(Object.entries(parameters).filter(isNotOfTheFramework).toSorted(byName))}`;
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
    (sum, each) => ({
      bytes: sum.bytes + each.bytes,
      waitingBytes: sum.waitingBytes + each.waitingBytes,
      besideBytes: sum.besideBytes + each.besideBytes,
      places: [],
    }),
    nothing,
  );
  return onTopOf(freeBytes, all);
}

function allOf(perNode: ReadonlyMap<string, Amount>, unplaced: CsiPromise): Amount {
  const sum = sumOfNodes(perNode.values(), unplaced.bytes);
  return { ...sum, available: Math.max(sum.available - unplaced.besideBytes, 0) };
}

/** On a node of which the driver does not speak nothing counts, nor does it on any before there is one. */
function countedOf(
  promised: ReadonlyMap<string, CsiPromise>,
  perNode: ReadonlyMap<string, Amount> | undefined,
): ReadonlyMap<string, string> {
  const found = [...promised].map(([node, { places }]): [string, string][] => {
    if (perNode === undefined) return places.map((place) => [place, '']);
    return perNode.has(node) ? places.map((place) => [place, node]) : [];
  });
  return new Map(found.flat());
}

function onTopOf(freeBytes: number, { bytes, waitingBytes, besideBytes }: CsiPromise): Amount {
  const whole = Math.max(freeBytes + bytes - waitingBytes - besideBytes, 0);
  return amount(whole, whole, bytes);
}
