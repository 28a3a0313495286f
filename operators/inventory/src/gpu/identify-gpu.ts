import type { GpuDevice } from '../model/node-inventory.ts';
import type { GpuDatabase, GpuModel } from './gpu-database.ts';
import { interfaceName, modelName } from './model-name.ts';
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
}

/** What is known of cards in general. */
export interface GpuKnowledge {
  readonly overrides: GpuDatabase;
  readonly database: GpuDatabase;
  readonly pciNames: PciNames;
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
  readonly identifiedBy: GpuDevice['identifiedBy'];
}

const vendorNames: ReadonlyMap<string, string> = new Map([
  ['10de', 'nvidia'],
  ['1002', 'amd'],
  ['8086', 'intel'],
]);

const productLabels: ReadonlyMap<string, readonly string[]> = new Map([
  ['10de', ['nvidia.com/gpu.product']],
  ['1002', ['amd.com/gpu.product-name', 'beta.amd.com/gpu.product-name']],
]);

const gibibyte = 2 ** 30;

/**
 * Names a card: by a local override, the database, the driver, the node's labels, pci.ids, and at last as `unknown-<vendor>-<product>`.
 * Never fails: a card that nobody knows is still a card. Memory and interface come from the same source where it has them, and
 * else from the driver; memory that the driver tells is rounded up to whole Gi, since drivers keep a part for themselves.
 */
export function identifyGpu(card: CardFacts, sources: GpuSources): IdentifiedGpu {
  const { vendorId, productId } = card;
  const override = sources.overrides.get(vendorId);
  const known = sources.database.get(vendorId);
  const vendor = override?.name ?? known?.name ?? vendorNames.get(vendorId) ?? (vendorId === '' ? 'unknown' : vendorId);
  const made = (model: GpuModel, identifiedBy: GpuDevice['identifiedBy']): IdentifiedGpu => ({
    vendor,
    model: model.name,
    interface: model.interface === '' ? (card.interface ?? interfaceName(card.name ?? '')) : model.interface,
    memoryBytes: model.memoryBytes === 0 ? wholeGibibytes(card.memoryBytes ?? 0) : model.memoryBytes,
    identifiedBy,
  });
  const named = (product: string | undefined, identifiedBy: GpuDevice['identifiedBy']): IdentifiedGpu | undefined => {
    const name = modelName(product ?? '');
    return name === '' ? undefined : made({ name, interface: interfaceName(product ?? ''), memoryBytes: 0 }, identifiedBy);
  };
  const overriding = override?.devices.get(productId);
  if (overriding !== undefined) return made(overriding, 'override');
  const listed = known?.devices.get(productId);
  if (listed !== undefined) return made(listed, 'database');
  return (
    named(card.name, 'driver') ??
    named(labelledProduct(card, sources), 'labels') ??
    named(sources.pciNames.get(`${vendorId}:${productId}`), 'pci-ids') ??
    made({ name: unknownName(card), interface: '', memoryBytes: 0 }, 'unknown')
  );
}

/** `unknown-10de-2d04`, or `unknown-10de` while even the product id is not known. */
function unknownName({ vendorId, productId }: CardFacts): string {
  return ['unknown', vendorId, productId].filter((part) => part !== '').join('-');
}

function labelledProduct({ vendorId }: CardFacts, { nodeLabels, isMixed }: GpuSources): string | undefined {
  if (isMixed) return undefined;
  return productLabels
    .get(vendorId)
    ?.map((label) => nodeLabels[label])
    .find((product) => product !== undefined && product !== '');
}

function wholeGibibytes(size: number): number {
  return Number.isSafeInteger(size) && size > 0 ? Math.ceil(size / gibibyte) * gibibyte : 0;
}
