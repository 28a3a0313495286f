import type { NodeRow } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { filterNodes } from '../model/node-filter.ts';
import { completeNodes } from './complete-nodes.ts';

const base = { isReady: true, cpuMillis: 0, memoryBytes: 0, pods: 0 };
const nodes: readonly NodeRow[] = [
  { ...base, name: 'a', state: 'Ready', rack: 'r1', gpus: { 'NVIDIA H100': 8 } },
  { ...base, name: 'b', isReady: false, state: 'NotReady: disk is full', rack: 'r2', gpus: {} },
];
const complete = completeNodes(nodes);
const inserts = (text: string): readonly string[] => complete(text, text.length)?.options.map(({ insert }) => insert) ?? [];

describe('completions of the filter of nodes', () => {
  it('knows the fields, and the values that nodes have', () => {
    expect(inserts('sa')).toEqual(['sale:']);
    expect(inserts('sale:')).toEqual(['"sellable" ', '"held-back" ', '"unknown" ']);
    expect(inserts('word rack:')).toEqual(['"r1" ', '"r2" ']);
    expect(inserts('rack:2')).toEqual(['"r2" ']);
    expect(inserts('gpu:h1')).toEqual(['"NVIDIA H100" ']);
    expect(inserts('state:"NotReady: di')).toEqual(['"NotReady: disk is full" ']);
  });

  it('is silent where nothing is begun, and where everything is said', () => {
    for (const text of ['', 'a ', 'rack:"r1"', 'name:', 'some-node']) expect(inserts(text)).toEqual([]);
  });

  it('offers only what the filter understands', () => {
    for (const begun of ['rack:', 'gpu:', 'state:', 'ready:']) {
      for (const value of inserts(begun)) expect(filterNodes(nodes, begun + value)).toHaveLength(1);
    }
  });
});
