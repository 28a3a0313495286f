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

/** SXM5, PCIe or OAM where a product name says it; empty where it does not. */
export function interfaceName(product: string): string {
  const form = /\b(sxm[0-9]?|pcie|oam)\b/i.exec(product.replaceAll(/[_-]/g, ' '))?.[1]?.toUpperCase() ?? '';
  return form === 'PCIE' ? 'PCIe' : form;
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
