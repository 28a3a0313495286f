import { describe, expect, it } from 'vitest';
import { nodesOf } from '../../test/placings.ts';
import { node, one, stock, unit } from '../../test/sample-facts.ts';
import { explain } from './explain.ts';
import { place } from './place.ts';
import { holdsOf } from './plan.ts';
import type { Request } from './request.ts';
import type { NodeFacts } from './stock-facts.ts';

const tiny = (count: number): Request => one({ count, cpuMillis: 10, memoryBytes: 2 ** 20 });
const messagesOf = (nodes: readonly NodeFacts[], request: Request): readonly string[] => {
  const placing = place(stock(nodes), request);
  return placing.kind === 'refusal' ? placing.reasons.map(({ message }) => message) : [placing.kind];
};

describe('pod slots', () => {
  const nodes = ['a', 'b', 'c'].map((name) => node(name, { podSlots: 10 }));

  it('are taken by replicas, one each, however little else these take', () => {
    expect(nodesOf(place(stock(nodes), tiny(30)))).toHaveLength(30);
    expect(messagesOf(nodes, tiny(31))).toEqual([
      'there is room for 30 of 31 replicas: they need 31 pod slots, and nodes that could run one of them have 30 free',
    ]);
  });

  it('of nodes that lack something else are not told as free', () => {
    expect(messagesOf([...nodes, node('d', { podSlots: 100, cpuMillis: 0 })], tiny(31))).toEqual([
      'there is room for 30 of 31 replicas: they need 31 pod slots, and nodes that could run one of them have 30 free',
    ]);
  });

  it('are counted on each of many nodes that are alike in all else', () => {
    const many = Array.from({ length: 100 }, (_, at) => node(`node-${at}`, { podSlots: at }));
    expect(nodesOf(place(stock(many), tiny(4950)))).toHaveLength(4950);
    expect(place(stock(many), tiny(4951)).kind).toBe('refusal');
  });

  it('of a node whose limit nobody knows are enough for any number', () => {
    expect(nodesOf(place(stock([node('a')]), tiny(50)))).toHaveLength(50);
    expect(nodesOf(place(stock([...nodes, node('d')]), tiny(50)))).toHaveLength(50);
  });

  it('are none where more pods are than the node runs', () => {
    const full = [node('a', { podSlots: 0 }), node('b', { podSlots: -2 })];
    expect(messagesOf(full, tiny(1))).toEqual(['no single node can hold one replica']);
    expect(explain(stock(full), tiny(1)).nodes).toMatchObject([
      {
        nodes: 2,
        shortfalls: [
          { reason: { code: 'TooFewPodSlots', message: 'has at most 0 pod slots free; each replica needs 1' }, resource: 'pods', free: 0 },
        ],
      },
    ]);
  });

  it('are too few for units together as soon as they are counted, without a search', () => {
    const units = Array.from({ length: 4 }, (_, at) => unit({ id: at + 1, count: 8, cpuMillis: 10 * (at + 1), memoryBytes: 2 ** 20 }));
    const placing = place(stock(nodes), { units }, { maxSteps: 1000 });
    expect(placing).toMatchObject({ kind: 'refusal', reasons: [{ code: 'NoRoomTogether' }] });
    expect(messagesOf(nodes, { units })).toEqual([
      'each unit would fit alone; no placement holds all of them together: they need 32 pod slots, and nodes that could run one of them have 30 free',
    ]);
  });

  it('do not keep apart units that have enough of them, though one takes many times what another does', () => {
    const units = [unit({ id: 1, cpuMillis: 8000 }), unit({ id: 2, cpuMillis: 8000, count: 2 }), unit({ id: 3, cpuMillis: 10, count: 1 })];
    expect(nodesOf(place(stock(['a', 'b'].map((name) => node(name, { podSlots: 2, cpuMillis: 16_010 }))), { units }))).toHaveLength(4);
  });

  it('are held by what is promised, and are there again when it is given back', () => {
    const held = stock(nodes.slice(0, 1));
    const placing = place(held, tiny(7));
    if (placing.kind === 'plan') held.hold('order', holdsOf(placing.plan));
    expect(held.node('a')?.room.pods).toBe(3);
    expect(place(held, tiny(4)).kind).toBe('refusal');
    held.release('order');
    expect(nodesOf(place(held, tiny(10)))).toHaveLength(10);
  });
});
