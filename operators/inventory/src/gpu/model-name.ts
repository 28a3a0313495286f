/** Words of product names that say who makes it, which line it is of or how it is built, and not which model it is. */
const noise = new Set([
  'nvidia',
  'corporation',
  'amd',
  'ati',
  'intel',
  'advanced',
  'micro',
  'devices',
  'inc',
  'geforce',
  'tesla',
  'quadro',
  'radeon',
  'instinct',
  'graphics',
  'gpu',
  'generation',
  'tm',
  'r',
  'pcie',
  'oam',
  'shared',
  'hbm2',
  'hbm2e',
  'hbm3',
  'hbm3e',
  'ac',
]);

/** Words that are written shorter in model names. */
const shortened: ReadonlyMap<string, string> = new Map([
  ['super', 's'],
  ['mobile', 'm'],
  ['laptop', 'm'],
]);

const maxNameLength = 63;

/**
 * The model of a product name in the spelling of labels and orders: `NVIDIA GeForce RTX 4090` is rtx4090, `NVIDIA A100-SXM4-80GB` and
 * `Tesla V100-SXM2-16GB` are a100 and v100, `AMD Instinct MI300X OAM` is mi300x. Memory, interface and partition are left out: they are
 * told apart by other fields. Empty when nothing is left.
 */
export function modelName(product: string): string {
  const bracketed = /\[([^\]]+)\]\s*$/.exec(product)?.[1];
  const words = (bracketed ?? product)
    .toLowerCase()
    .replace(/-mig-[0-9]+g\..*$/, '')
    .split(/[^a-z0-9.]+/);
  const kept = words.filter(isPartOfModel).map((word) => shortened.get(word) ?? word);
  return proBlackwell(kept)
    .join('')
    .replace(/[^a-z0-9]/g, '')
    .slice(0, maxNameLength);
}

/** Boards that exist only on NVLink baseboards, though their names do not say so. Their PCIe sisters are called NVL or PCIe. */
const baseboardOnly = /\b(H100 \d+GB HBM\d\w?|H800|H200|H20|B100|B200|B300|GB\d00)\b/;

/** SXM5, SXM, PCIe or OAM, where a product name tells; empty where it does not. */
export function interfaceName(product: string): string {
  const words = product.replaceAll(/[_-]/g, ' ');
  const form = /\b(sxm[0-9]?|pcie|nvl|oam)\b/i.exec(words)?.[1]?.toUpperCase();
  if (form === 'PCIE' || form === 'NVL') return 'PCIe';
  return form ?? (baseboardOnly.test(words) ? 'SXM' : '');
}

/** The memory that a product name tells: `A100-SXM4-80GB`. 0 where it tells none. */
export function memoryInName(product: string): number {
  const size = /(?<![0-9a-z.])([1-9][0-9]{0,3})GB?\b/i.exec(product.replace(/-MIG-.*$/, ''))?.[1];
  return size === undefined ? 0 : Number(size) * 2 ** 30;
}

function isPartOfModel(word: string): boolean {
  return word !== '' && !noise.has(word) && !/^[0-9]+(gb|g)$/.test(word) && !/^sxm[0-9]?$/.test(word);
}

/** `RTX PRO 6000 Blackwell Server Edition` goes by pro6000se: the whole would not fit into a label. */
function proBlackwell(words: readonly string[]): readonly string[] {
  if (words[0] === 'rtx' && words[1] === 'pro') {
    const rest = words.slice(1).filter((word) => word !== 'blackwell' && word !== 'edition');
    if (rest.includes('max')) return [...rest.filter((word) => !['max', 'q', 'workstation'].includes(word)), 'mq'];
    return rest.map((word) => (word === 'server' ? 'se' : word === 'workstation' ? 'we' : word));
  }
  return words[0] === 'pro' && words.length > 1 ? words.slice(1) : words;
}
