/** First compute capability of an architecture -> its name, as the GPU operator spells it; the newest first. */
const architectures: readonly (readonly [number, string])[] = [
  [10, 'blackwell'],
  [9, 'hopper'],
  [8.9, 'ada-lovelace'],
  [8, 'ampere'],
  [7.5, 'turing'],
  [7, 'volta'],
  [6, 'pascal'],
  [5, 'maxwell'],
  [3, 'kepler'],
];
/** Nobody has named those beyond. */
const firstUnknown = 13;

/** The architecture of NVIDIA's cards with a compute capability such as 9.0; undefined where it is not known. */
export function architectureOf(computeCapability = ''): string | undefined {
  const [major = 0, minor = 0] = computeCapability.split('.').map(Number);
  const version = major + minor / 10;
  return version >= firstUnknown ? undefined : architectures.find(([first]) => version >= first)?.[1];
}
