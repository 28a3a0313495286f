/** What the vendors' own labels say of the cards of a node: of all alike, since they name one product for the whole node. */
export interface LabelledGpu {
  readonly product?: string | undefined;
  /** PCI product id. */
  readonly productId?: string | undefined;
  readonly memoryBytes?: number | undefined;
  /** As the GPU operator spells it: hopper, ada-lovelace. */
  readonly architecture?: string | undefined;
  readonly computeCapability?: string | undefined;
  /** The slices that cards are cut into: 1g.10gb … Undefined where they are whole. */
  readonly migProfiles?: readonly string[] | undefined;
}

type Labels = Readonly<Record<string, string>>;

export function labelledGpu(vendorId: string, labels: Labels): LabelledGpu {
  if (vendorId === '10de') return nvidiaLabels(labels);
  return vendorId === '1002' ? amdLabels(labels) : {};
}

/** The NVLink domain of a node, within which cards reach each other over switches; cards of other nodes may be in it. */
export function nvlinkDomain(labels: Labels): string | undefined {
  return textOf(labels['nvidia.com/gpu.clique']);
}

/** As GPU Feature Discovery writes them. Where MIG hides whole cards, `gpu.memory` is that of a slice. */
function nvidiaLabels(labels: Labels): LabelledGpu {
  const product = textOf(labels['nvidia.com/gpu.product']);
  const [major, minor] = [labels['nvidia.com/gpu.compute.major'], labels['nvidia.com/gpu.compute.minor']];
  const capability = `${major}.${minor}`;
  const isSliced = /-MIG-[0-9]+g\./.test(product ?? '');
  return {
    product,
    memoryBytes: isSliced ? undefined : sizeOf(labels['nvidia.com/gpu.memory'], /^([1-9][0-9]{0,8})$/, 2 ** 20),
    architecture: /^[a-z][-a-z0-9]{0,40}$/.exec(labels['nvidia.com/gpu.family'] ?? '')?.[0],
    computeCapability: /^[0-9]{1,2}\.[0-9]{1,2}$/.exec(capability)?.[0],
    migProfiles: migProfiles(labels, product ?? ''),
  };
}

/** Of slices that are offered under names of their own, and of those that are offered in place of cards. */
function migProfiles(labels: Labels, product: string): readonly string[] | undefined {
  const own = Object.entries(labels).flatMap(([key, count]) =>
    Number(count) > 0 ? (/^nvidia\.com\/mig-(.+)\.count$/.exec(key)?.[1] ?? []) : [],
  );
  const instead = /-MIG-([0-9]+g\..+)$/.exec(product.replace(/-SHARED$/, ''))?.[1] ?? [];
  const profiles = [...new Set([own, instead].flat())].filter((profile) => /^[0-9]{1,2}g\.[0-9]{1,4}gb[-+.a-z0-9]{0,12}$/.test(profile));
  return profiles.length === 0 ? undefined : profiles.toSorted();
}

/** As the labeller of AMD's device plugin writes them. Its G are 2^30. */
function amdLabels(labels: Labels): LabelledGpu {
  return {
    product: textOf(labels['amd.com/gpu.product-name']) ?? textOf(labels['beta.amd.com/gpu.product-name']),
    productId: /^[0-9a-f]{4}$/.exec(labels['amd.com/gpu.device-id'] ?? '')?.[0],
    memoryBytes: sizeOf(labels['amd.com/gpu.vram'], /^([1-9][0-9]{0,5})G$/, 2 ** 30),
  };
}

function sizeOf(text: string | undefined, form: RegExp, unit: number): number | undefined {
  const count = form.exec(text ?? '')?.[1];
  return count === undefined ? undefined : Number(count) * unit;
}

const textOf = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);
