const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** `down` is for what is free or would fit: nobody is told of more than there is. */
type Rounding = 'down' | 'nearest';

interface Figure {
  readonly number: string;
  readonly unit: string;
}

/** An amount of a resource of the cluster service, in its contract's unit, as people write it: `1.5 cores`, `64 GiB`, `2`. */
export const amountText = (resource: string, amount: number): string => textOf(figureOf(resource, amount, 'nearest', 0));

/** The same with what it is of: `64 GiB of memory`, `2 external ports`, `4 GPUs (nvidia t4 pcie 16gi)`. */
export const amountWords = (resource: string, amount: number): string => withWhat(resource, amountText(resource, amount));

/** What is there and the larger amount that is asked for, in texts that differ as well: in smaller units where larger ones hide the difference. */
export function unequalTexts(resource: string, there: number, asked: number): readonly [there: string, asked: string] {
  return unequal(there, asked, (finer) => [
    textOf(figureOf(resource, there, 'down', finer)),
    textOf(figureOf(resource, asked, 'nearest', finer)),
  ]);
}

/** `63.9 of 64 GiB`: both in the unit of the larger, and never twice the same number for two amounts. */
export function partText(resource: string, part: number, whole: number): string {
  const [there, all] = unequal(part, whole, (finer) => {
    const { number, unit } = figureOf(resource, whole, 'nearest', finer);
    return [figureOf(resource, part, 'down', finer, whole).number, textOf({ number, unit })];
  });
  return `${there} of ${all}`;
}

/** A text for an amount of the resource, with what it is of. */
export function withWhat(resource: string, text: string): string {
  const [kind, name] = splitAt(resource, '/');
  if (resource === 'cpu') return text;
  if (resource === 'memory') return `${text} of memory`;
  if (resource === 'ephemeral-storage') return `${text} of ephemeral storage`;
  const plural = text === '1' ? '' : 's';
  if (resource === 'pods') return `${text} pod slot${plural}`;
  if (resource === 'ports') return `${text} external port${plural}`;
  if (resource === 'leased-ips') return `${text} leased address${text === '1' ? '' : 'es'}`;
  if (kind === 'storage') return `${text} of storage class ${name}`;
  if (kind === 'gpu') return `${text} GPU${plural}${name === undefined ? '' : ` (${name.replaceAll('/', ' ')})`}`;
  // Cards by the name of their resource in Kubernetes, and of their group where a claim chooses it.
  const [card, group] = splitAt(resource, '=');
  return `${text} × ${card}${group === undefined ? '' : ` (${group.replaceAll('/', ' ')})`}`;
}

function unequal<T extends readonly [string, string]>(less: number, more: number, texts: (finer: number) => T): T {
  let found = texts(0);
  for (let finer = 1; less !== more && sameStart(found) && finer < byteUnits.length; finer += 1) found = texts(finer);
  return found;
}

/** Whether both say the same number, with a unit or without. */
const sameStart = ([a, b]: readonly [string, string]): boolean => a === b || a === b.split(' ')[0];

const textOf = ({ number, unit }: Figure): string => (unit === '' ? number : `${number} ${unit}`);

const isBytes = (resource: string): boolean => resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('storage/');

/** `finer`: by so many units. `scaled`: the amount whose unit it gets. */
function figureOf(resource: string, amount: number, rounding: Rounding, finer: number, scaled = amount): Figure {
  if (resource === 'cpu') {
    const number = String(finer > 0 || amount < 1000 ? amount / 1000 : rounded(amount / 100, rounding) / 10);
    return { number, unit: number === '1' ? 'core' : 'cores' };
  }
  if (!isBytes(resource)) return { number: String(amount), unit: '' };
  const scale = Math.max(scaleOf(scaled, rounding) - finer, 0);
  return { number: String(threeDigits(amount / 1024 ** scale, rounding)), unit: byteUnits[scale] ?? '' };
}

/** The largest unit of which there is at least one after rounding: 1023.96 GiB reads 1 TiB where it is not rounded down. */
function scaleOf(bytes: number, rounding: Rounding): number {
  let scale = 0;
  while (scale < byteUnits.length - 1 && threeDigits(bytes / 1024 ** scale, rounding) >= 1024) scale += 1;
  return scale;
}

/** As many decimals as count. */
function threeDigits(value: number, rounding: Rounding): number {
  const factor = value >= 100 ? 1 : value >= 10 ? 10 : 100;
  return rounded(value * factor, rounding) / factor;
}

const rounded = (value: number, rounding: Rounding): number => (rounding === 'down' ? Math.floor(value) : Math.round(value));

function splitAt(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
