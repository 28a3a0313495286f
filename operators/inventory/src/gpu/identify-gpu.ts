import type { GpuDevice } from '../model/node-inventory.ts';
import { architectureOf } from './gpu-architecture.ts';
import type { GpuDatabase, GpuModel, GpuVendor } from './gpu-database.ts';
import { labelledGpu } from './gpu-labels.ts';
import { completedModel } from './known-sisters.ts';
import { interfaceName, memoryInName, modelName } from './model-name.ts';
import type { PciNames } from './pci-ids.ts';

/** What can be known of a card before it is identified. */
export interface CardFacts {
  /** Four lower-case hex digits; empty when only the vendor's resource is known. */
  readonly vendorId: string;
  readonly productId: string;
  /** The driver's product name. */
  readonly name?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly interface?: string | undefined;
  /** hopper, ada-lovelace …, where somebody says it. */
  readonly architecture?: string | undefined;
  /** 9.0 */
  readonly computeCapability?: string | undefined;
}

/** What is known of cards in general. */
export interface GpuKnowledge {
  readonly overrides: GpuDatabase;
  readonly database: GpuDatabase;
  readonly pciNames: PciNames;
}

/** Whether nothing of it was read anew. */
export function isSameKnowledge(a: GpuKnowledge, b: GpuKnowledge): boolean {
  return a.overrides === b.overrides && a.database === b.database && a.pciNames === b.pciNames;
}

/** Where the model of one card is looked up. */
export interface GpuSources extends GpuKnowledge {
  /** Labels of the card's node: they name one product for the whole node. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** True when the node has cards of several kinds of this vendor, so that its labels cannot tell which one is meant. */
  readonly isMixed: boolean;
}

export interface IdentifiedGpu {
  readonly vendor: string;
  readonly model: string;
  readonly interface: string;
  readonly memoryBytes: number;
  readonly architecture?: string | undefined;
  readonly computeCapability?: string | undefined;
  /** By the labels of the node. */
  readonly migProfiles?: readonly string[] | undefined;
  readonly identifiedBy: GpuDevice['identifiedBy'];
}

const vendorNames: ReadonlyMap<string, string> = new Map([
  ['10de', 'nvidia'],
  ['1002', 'amd'],
  ['8086', 'intel'],
]);

/**
 * Names a card: by a local override, the database, the driver, the node's labels, pci.ids, and at last as `unknown-<vendor>-<product>`.
 * Never fails: a card that nobody knows is still a card. Memory and interface come from the same source where it has them, and
 * else from the driver, the labels, the product's name, or cards of the same name in the database.
 */
export function identifyGpu(card: CardFacts, sources: GpuSources): IdentifiedGpu {
  const { vendorId } = card;
  const labelled = sources.isMixed ? {} : labelledGpu(vendorId, sources.nodeLabels);
  const productId = card.productId === '' ? (labelled.productId ?? '') : card.productId;
  const override = sources.overrides.get(vendorId);
  const known = sources.database.get(vendorId);
  const computeCapability = card.computeCapability ?? labelled.computeCapability;
  const rest = {
    vendor: override?.name ?? known?.name ?? vendorNames.get(vendorId) ?? (vendorId === '' ? 'unknown' : vendorId),
    computeCapability,
    architecture: card.architecture ?? labelled.architecture ?? architectureOf(computeCapability),
    migProfiles: labelled.migProfiles,
  };
  const made = (model: GpuModel, product: string, identifiedBy: GpuDevice['identifiedBy']): IdentifiedGpu => {
    const told = {
      name: model.name,
      interface: model.interface || (card.interface ?? interfaceName(product)),
      memoryBytes: model.memoryBytes || card.memoryBytes || labelled.memoryBytes || 0,
    };
    const isListed = model.interface !== '' && model.memoryBytes !== 0;
    const { name: found, ...built } = isListed
      ? told
      : completedModel(told, memoryInName(product), [...listedIn(override), ...listedIn(known)]);
    return { ...rest, ...built, model: found, identifiedBy };
  };
  const named = (product = '', identifiedBy: GpuDevice['identifiedBy']): IdentifiedGpu | undefined => {
    const name = modelName(product);
    return name === '' ? undefined : made({ name, interface: '', memoryBytes: 0 }, product, identifiedBy);
  };
  const overriding = override?.devices.get(productId);
  if (overriding !== undefined) return made(overriding, card.name ?? '', 'override');
  const listed = known?.devices.get(productId);
  if (listed !== undefined) return made(listed, card.name ?? '', 'database');
  return (
    named(card.name, 'driver') ??
    named(labelled.product, 'labels') ??
    named(sources.pciNames.get(`${vendorId}:${productId}`), 'pci-ids') ??
    made({ name: unknownName(vendorId, productId), interface: '', memoryBytes: 0 }, '', 'unknown')
  );
}

/** `unknown-10de-2d04`, or `unknown-10de` while even the product id is not known. */
function unknownName(...ids: readonly string[]): string {
  return ['unknown', ...ids].filter((part) => part !== '').join('-');
}

const listedIn = (vendor: GpuVendor | undefined): Iterable<GpuModel> => vendor?.devices.values() ?? [];
