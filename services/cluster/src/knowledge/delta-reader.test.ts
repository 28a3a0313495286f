import { create } from '@bufbuild/protobuf';
import { DeltaSchema, SnapshotSchema } from '@quartermaster/api/inventory';
import { silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { parseCommitLevel } from '../placement/commit-level.ts';
import { DeltaReader } from './delta-reader.ts';

const plugin = 'nvidia.com/gpu';
const node = (...models: string[]) => ({ name: 'n1', gpus: models.map((model) => ({ vendor: 'nvidia', model, resource: plugin })) });
const pod = (uid: string, pieces: bigint) => ({ uid, name: uid, node: 'n1', extended: pieces === 0n ? {} : { [plugin]: pieces } });

describe('a reader of deltas', () => {
  it('tells of the cards of pods again when their node says something else of them', () => {
    const reader = new DeltaReader(parseCommitLevel('1', 'level'), silentLog);
    let sequence = 0n;
    const at = () => ({ epoch: 'e', sequence });
    const whole = reader.snapshot(
      create(SnapshotSchema, { generation: at(), nodes: [node()], leasePods: [pod('a', 2n), pod('b', 1n), pod('c', 0n)] }),
    );
    expect(whole.pods.map(({ cards }) => cards.get(plugin))).toEqual([2, 1, undefined]);
    const told = (change: { nodes?: ReturnType<typeof node>[]; removedNodes?: string[]; removedLeasePods?: string[] }) => {
      const from = at();
      sequence += 1n;
      const { pods } = reader.delta(create(DeltaSchema, { from, to: at(), ...change }));
      return pods.map(({ uid, cards, cardGroups }) => [uid, cards.get(plugin), ...cardGroups.map(({ model }) => model)]);
    };
    expect(told({ nodes: [node('t4')], removedLeasePods: ['b'] })).toEqual([['a', 2, 't4']]);
    expect(told({ nodes: [node('t4')] })).toEqual([]);
    expect(told({ nodes: [node('t4', 'a100')] })).toEqual([['a', 2, 't4', 'a100']]);
    expect(told({ removedNodes: ['n1'] })).toEqual([['a', 2]]);
  });
});
