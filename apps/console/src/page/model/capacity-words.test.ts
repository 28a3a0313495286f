import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { heldWords, partText, reasonWords, segmentsOf, totalOf, withheldWords } from './capacity-words.ts';

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
    expect(totalOf(line)).toBe(8);
  });

  it('say how many nodes a reason is about, and which', () => {
    const { text, href } = withheldWords(line, { state: 'held-back', code: 'Cordoned', amount: 8, nodes: 3 });
    expect([text, decodeURIComponent(href)]).toEqual(['3 nodes cordoned', '/nodes?q=gpu:"nvidia h100" why:Cordoned']);
    expect(withheldWords(line, { state: 'held-back', code: 'Quarantined', amount: 1, nodes: 0 }).text).toBe('1 card in quarantine');
  });

  it('turn codes into words', () => {
    expect(['DiskPressure', 'PIDPressure', 'ReadyUnknown', 'NoQuerier'].map(reasonWords)).toEqual([
      'disk pressure',
      'PID pressure',
      'silent',
      'no querier',
    ]);
  });

  it('name amounts in their own units', () => {
    expect(partText('bytes', 2 ** 40, 2 ** 42)).toBe('1 of 4 TiB');
    expect(partText('millicores', 1500, 96_000)).toBe('1.5 of 96');
    expect(heldWords({ gpus: 8, cpuMillis: 96_000, bytes: 0 })).toBe('8 GPUs, 96 cores');
  });
});
