import { stripVTControlCharacters } from 'node:util';

/**
 * Which cards reach each other over NVLink, from the matrix of `nvidia-smi topo -m`: index of a card in the tool's own order -> the lowest index among those that
 * it reaches, directly or through others, itself included. A card without such a neighbour is not in it.
 */
export function parseNvlinkGroups(text: string): ReadonlyMap<number, number> {
  // The header is underlined.
  const lines = stripVTControlCharacters(text).split('\n');
  const columns = (lines.find((line) => /^\s*\tGPU\d/.test(line)) ?? '').split('\t').map(indexOf);
  const linked: [number, number][] = lines.flatMap((line) => {
    const [name = '', ...cells] = line.split('\t').map((cell) => cell.trim());
    const row = indexOf(name);
    if (row === undefined) return [];
    return cells.flatMap((cell, place): [number, number][] => {
      const column = columns[place + 1];
      return column !== undefined && column !== row && /^NV\d+$/.test(cell) ? [[row, column]] : [];
    });
  });
  return lowestReached(linked);
}

/** The header and the rows name cards alike. */
function indexOf(cell: string): number | undefined {
  const index = /^\s*GPU(\d{1,3})\s*$/.exec(cell)?.[1];
  return index === undefined ? undefined : Number(index);
}

function lowestReached(linked: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  const lowest = new Map(linked.flatMap(([a, b]) => [[a, a] as const, [b, b] as const]));
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const [a, b] of linked) {
      const least = Math.min(lowest.get(a) ?? a, lowest.get(b) ?? b);
      if (lowest.get(a) !== least || lowest.get(b) !== least) isSettled = false;
      lowest.set(a, least).set(b, least);
    }
  }
  return lowest;
}
