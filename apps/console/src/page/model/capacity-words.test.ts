import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { heldWords, segmentsOf, withheldWords } from './capacity-words.ts';

const line: CapacityLine = {
  kind: 'model',
  name: 'nvidia h100',
  unit: 'devices',
  division: { allocated: 4, sellable: 3, heldBack: 0, unknown: 1 },
  why: [],
};

describe('the words of capacity', () => {
  it('leave out empty parts of a bar, and lead to the nodes behind each', () => {
    expect(segmentsOf(line).map(({ label, href }) => [label, decodeURIComponent(href)])).toEqual([
      ['allocated', '/nodes?q=gpu:"nvidia h100"'],
      ['sellable', '/nodes?q=gpu:"nvidia h100" sale:sellable'],
      ['unknown', '/nodes?q=gpu:"nvidia h100" sale:unknown'],
    ]);
  });

  it('say how much a reason withholds, and on how many nodes', () => {
    const words = (code: string, nodes: number, amount: string): string =>
      withheldWords(line, { state: 'held-back', code, amount: 8, nodes }, amount);
    expect(words('Tainted', 4, '192')).toBe('192 on 4 tainted nodes');
    expect(words('Cordoned', 1, '')).toBe('on 1 cordoned node');
    expect(words('DiskPressure', 1, '3')).toBe('3 on 1 node with disk pressure');
    expect(words('Excluded', 2, '3')).toBe('3 on 2 nodes excluded by the configuration');
    expect(words('System', 0, '18')).toBe('18 reserved by kubelets');
    expect(words('Quarantined', 0, '1')).toBe('1 in quarantine');
  });

  it('name amounts in their own units', () => {
    expect(heldWords({ gpus: 8, cpuMillis: 96_000, bytes: 0 })).toBe('8 GPUs, 96 cores');
  });
});
