import type { PerformanceClass, StorageClassFacts } from '../../model/storage-inventory.ts';

/** Names the performance class on a StorageClass whose own name does not. */
export const performanceLabel = 'akash.network/storage-class';

const performanceClasses: ReadonlySet<string> = new Set<PerformanceClass>(['default', 'beta1', 'beta2', 'beta3', 'ram']);

// kind of device, as Ceph's device classes and Longhorn's disk tags spell it -> performance class
const ofDevices: ReadonlyMap<string, PerformanceClass> = new Map([
  ['hdd', 'beta1'],
  ['ssd', 'beta2'],
  ['nvme', 'beta3'],
]);

/**
 * What orders call the class. In this order: the name of the StorageClass, because that is what tenants ask for; its label; the devices behind
 * it. Undefined when none of them tells.
 */
export function performanceClassOf(
  { name, labels }: StorageClassFacts,
  byBackend: PerformanceClass | undefined,
): PerformanceClass | undefined {
  return asPerformanceClass(name) ?? asPerformanceClass(labels[performanceLabel]) ?? byBackend;
}

/** By the kind of the devices: undefined for kinds that are not known, and when they are mixed. */
export function performanceOfDevices(kinds: Iterable<string>): PerformanceClass | undefined {
  const found = new Set([...kinds].map((kind) => ofDevices.get(kind.toLowerCase())));
  return found.size === 1 ? [...found][0] : undefined;
}

function asPerformanceClass(text: string | undefined): PerformanceClass | undefined {
  return text !== undefined && isPerformanceClass(text) ? text : undefined;
}

function isPerformanceClass(text: string): text is PerformanceClass {
  return performanceClasses.has(text);
}
