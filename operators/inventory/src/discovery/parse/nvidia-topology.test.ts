import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNvlinkGroups } from './nvidia-topology.ts';

/** As the tool prints it: the header underlined, network cards and affinities after the cards. */
function matrix(size: number, link: (a: number, b: number) => string): string {
  const all = Array.from({ length: size }, (_, index) => index);
  const header = `\t\u001b[4m${all.map((index) => `GPU${index}`).join('\t')}\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m\n`;
  const rows = all.map((a) => `GPU${a}\t${all.map((b) => (a === b ? ' X ' : link(a, b))).join('\t')}\tPIX\t0-55\t0\t\tN/A\n`);
  return `${header}${rows.join('')}NIC0\t${all.map(() => 'NV4').join('\t')}\t X \n\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n`;
}

const groupsOf = (text: string): readonly (readonly number[])[] => [...parseNvlinkGroups(text)].toSorted(([a], [b]) => a - b);

describe('parseNvlinkGroups', () => {
  it('finds one group behind switches, pairs over bridges, and none on PCIe', () => {
    expect(groupsOf(matrix(4, () => 'NV18'))).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(groupsOf(matrix(4, (a, b) => (a >> 1 === b >> 1 ? 'NV4' : 'SYS')))).toEqual([
      [0, 0],
      [1, 0],
      [2, 2],
      [3, 2],
    ]);
    expect(groupsOf(matrix(4, () => 'PHB'))).toEqual([]);
  });

  it('reads a machine with one card, as a virtual one with an H200 prints it', () => {
    expect(groupsOf('\t\u001b[4mGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m\nGPU0\t X \t0-15\t0\t\tN/A\n')).toEqual([]);
  });

  it('gives all that are connected, and only those, the same number', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 12 }), (links) => {
        const has = (a: number, b: number): boolean => links.some(([x, y]) => (x === a && y === b) || (x === b && y === a));
        const groups = parseNvlinkGroups(matrix(10, (a, b) => (has(a, b) ? 'NV2' : 'NODE')));
        const reached = (from: number, seen = new Set([from])): Set<number> => {
          for (let b = 0; b < 10; b += 1) if (!seen.has(b) && has(from, b)) reached(b, seen.add(b));
          return seen;
        };
        for (let a = 0; a < 10; a += 1) {
          const all = [...reached(a)];
          expect(groups.get(a)).toBe(all.length === 1 ? undefined : Math.min(...all));
        }
      }),
    );
  });

  it('never fails, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseNvlinkGroups(text).size >= 0));
  });
});
