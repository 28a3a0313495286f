import type { Reason } from '../model/node-inventory.ts';
import type { StorageClassFacts } from '../model/storage-inventory.ts';
import { defaultHealthSignals, type HealthSignal } from './health-signal.ts';
import type { Pattern } from './pattern.ts';

/** A taint that tenants' pods tolerate. */
export interface ToleratedTaint {
  readonly key: string;
  /** Any value when absent. */
  readonly value?: string | undefined;
  /** Any effect when absent. */
  readonly effect?: string | undefined;
}

/** What a provider decides about what of the cluster is sold. */
export interface InventoryConfig {
  /** Storage classes that are offered. Undefined: every class that is labelled for it or has the name of a performance class. */
  readonly clusterStorage: readonly string[] | undefined;
  /** Nodes of which nothing is sold. */
  readonly excludedNodes: readonly Pattern[];
  /** Classes that are not offered on certain nodes. */
  readonly excludedNodeStorage: readonly { readonly nodeFilter: Pattern; readonly classes: readonly string[] }[];
  readonly toleratedTaints: readonly ToleratedTaint[];
  /** The provider's own before those that are shipped. */
  readonly healthSignals: readonly HealthSignal[];
}

/** GPU nodes are commonly tainted so that only pods with GPUs land there, and Kubernetes makes those pods tolerate it by itself. */
export const defaultToleratedTaints: readonly ToleratedTaint[] = [{ key: 'nvidia.com/gpu' }, { key: 'amd.com/gpu' }];

export const defaultInventoryConfig: InventoryConfig = {
  clusterStorage: undefined,
  excludedNodes: [],
  excludedNodeStorage: [],
  toleratedTaints: defaultToleratedTaints,
  healthSignals: defaultHealthSignals,
};

/** Orders name storage by these. `ram` is one too, but never a StorageClass. */
const performanceClasses = new Set(['default', 'beta1', 'beta2', 'beta3']);

const offerLabel = 'akash.network';

/** The pattern that keeps a node from being sold, or undefined. */
export function excludingPattern(config: InventoryConfig, node: string): string | undefined {
  return config.excludedNodes.find((pattern) => pattern.test(node))?.source;
}

/** The offered classes that pods on this node may use, in the order given. */
export function classesOnNode(config: InventoryConfig, node: string, offered: readonly string[]): readonly string[] {
  const rules = config.excludedNodeStorage.filter(({ nodeFilter }) => nodeFilter.test(node));
  return rules.length === 0 ? offered : offered.filter((name) => !rules.some(({ classes }) => classes.includes(name)));
}

export function isTolerated(
  config: InventoryConfig,
  taint: { readonly key: string; readonly value: string; readonly effect: string },
): boolean {
  return config.toleratedTaints.some(
    ({ key, value, effect }) =>
      key === taint.key && (value === undefined || value === taint.value) && (effect === undefined || effect === taint.effect),
  );
}

/** The classes that should exist as StorageClasses: all that are named but `ram`, which is memory. */
export function listedClasses({ clusterStorage = [] }: InventoryConfig): readonly string[] {
  return clusterStorage.filter((name) => name !== 'ram');
}

/** Why the configuration does not offer a storage class, or undefined when it does. */
export function storageClassRefusal(
  config: InventoryConfig,
  { name, labels }: Pick<StorageClassFacts, 'name' | 'labels'>,
): Reason | undefined {
  if (config.clusterStorage !== undefined) {
    if (config.clusterStorage.includes(name)) return undefined;
    return {
      code: 'ClassNotListed',
      message: `The configuration lists the classes to offer under cluster_storage, and not ${name}: add it there.`,
    };
  }
  const label = labels[offerLabel];
  if (label === 'true' || (label === undefined && performanceClasses.has(name))) return undefined;
  return {
    code: label === undefined ? 'ClassNotLabelled' : 'ClassOptedOut',
    message: `StorageClass ${name} ${label === undefined ? 'has no label' : `has the label ${offerLabel}=${label} instead of`} ${offerLabel}=true: set it, or list the class under cluster_storage in the configuration.`,
  };
}
