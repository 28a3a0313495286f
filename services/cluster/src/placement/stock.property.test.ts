import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionsOf, requests, stockOf, storageSeries, worlds } from '../../test/arbitraries.ts';
import { pictureOf } from '../../test/picture.ts';
import { problemsOfPlan, type World } from '../../test/reference-model.ts';
import type { Holds } from './holds.ts';
import { place } from './place.ts';
import { holdsOf, type Plan } from './plan.ts';
import type { Request, Unit } from './request.ts';
import { Stock } from './stock.ts';
import type { ClassFacts, NodeFacts } from './stock-facts.ts';

type Action =
  | { readonly kind: 'reserve'; readonly id: number; readonly request: Request }
  | { readonly kind: 'release'; readonly id: number }
  | { readonly kind: 'node'; readonly from: World; readonly at: number }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'class'; readonly from: World; readonly at: number }
  | { readonly kind: 'remove-class'; readonly at: number };

const id = fc.nat(5);
const at = fc.nat(5);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), id, request: requests(5) }),
  fc.record({ kind: fc.constant('reserve' as const), id, request: requests(3) }),
  fc.record({ kind: fc.constant('release' as const), id }),
  fc.record({ kind: fc.constant('node' as const), from: worlds(6), at }),
  fc.record({ kind: fc.constant('remove' as const), at }),
  fc.record({ kind: fc.constant('class' as const), from: worlds(6), at: fc.nat(3) }),
  fc.record({ kind: fc.constant('remove-class' as const), at: fc.nat(3) }),
);

/** What a stock was told, without what follows from it. */
class Told {
  readonly nodes: Map<string, NodeFacts>;
  readonly classes: Map<string, ClassFacts>;
  readonly holds = new Map<string, Holds>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.nodes = new Map(world.nodes.map((node) => [node.name, node]));
    this.classes = new Map(world.classes.map((facts) => [facts.name, facts]));
  }

  stock(): Stock {
    const stock = new Stock(this.#world.headroom);
    for (const [name, holds] of this.holds) stock.hold(name, holds);
    for (const facts of this.classes.values()) stock.setClass(facts);
    for (const node of this.nodes.values()) stock.setNode(node);
    stock.setCluster(this.#world.cluster);
    return stock;
  }
}

function apply(act: Action, stock: Stock, told: Told, world: World): void {
  switch (act.kind) {
    case 'reserve': {
      const placing = place(stock, act.request, optionsOf(world));
      if (placing.kind !== 'plan') return;
      stock.hold(`order-${act.id}`, holdsOf(placing.plan));
      told.holds.set(`order-${act.id}`, holdsOf(placing.plan));
      return;
    }
    case 'release':
      expect(stock.release(`order-${act.id}`)).toBe(told.holds.delete(`order-${act.id}`));
      return;
    case 'node': {
      const node = act.from.nodes[act.at];
      if (node === undefined) return;
      stock.setNode(node);
      told.nodes.set(node.name, node);
      return;
    }
    case 'remove':
      stock.removeNode(`node-${act.at}`);
      told.nodes.delete(`node-${act.at}`);
      return;
    case 'class': {
      const facts = act.from.classes[act.at];
      if (facts === undefined) return;
      stock.setClass(facts);
      told.classes.set(facts.name, facts);
      return;
    }
    case 'remove-class': {
      const name = world.classes[act.at]?.name ?? '';
      stock.removeClass(name);
      told.classes.delete(name);
      return;
    }
  }
}

const comparable = (stock: Stock): string => JSON.stringify(pictureOf(stock));

describe('a stock', () => {
  it('is after each change what a new one would be that was told the same', () => {
    fc.assert(
      fc.property(worlds(6), fc.array(action, { maxLength: 12 }), (world, actions) => {
        const stock = stockOf(world);
        const told = new Told(world);
        for (const act of actions) {
          apply(act, stock, told, world);
          expect(comparable(stock)).toBe(comparable(told.stock()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is exactly what it was once everything is given back, in whichever order', () => {
    fc.assert(
      fc.property(worlds(6), fc.array(requests(4), { maxLength: 8 }), fc.nat(100), (world, list, salt) => {
        const stock = stockOf(world);
        const before = pictureOf(stock);
        const held = reserveAll(stock, world, list).map(({ id: name }) => name);
        while (held.length > 0) expect(stock.release(held.splice(salt % held.length, 1)[0] ?? '')).toBe(true);
        expect(pictureOf(stock)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['any kind', fc.tuple(worlds(6), fc.array(requests(4), { maxLength: 12 }))],
    ['volumes in little space', storageSeries],
  ])('never promises more than there is, over many reservations of %s', (_, series) => {
    fc.assert(
      fc.property(series, ([world, list]) => {
        const reserved = reserveAll(stockOf(world), world, list);
        const units = reserved.flatMap(({ request }, i) => request.units.map((unit) => asOneOf(i, unit)));
        const planned = reserved.flatMap(({ plan }, i) => plan.units.map((unit) => ({ ...unit, id: i * 100 + unit.id })));
        expect(problemsOfPlan(world, { units }, { units: planned, ports: 0, ips: 0 })).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A unit of the request at the place, told apart from those of the others. */
const asOneOf = (order: number, { leasedIps = [], ...unit }: Unit): Unit => ({
  ...unit,
  id: order * 100 + unit.id,
  leasedIps: leasedIps.map((name) => `${order}/${name}`),
});

function reserveAll(
  stock: Stock,
  world: World,
  list: readonly Request[],
): { readonly id: string; readonly request: Request; readonly plan: Plan }[] {
  return list.flatMap((request, i) => {
    const placing = place(stock, request, optionsOf(world));
    if (placing.kind !== 'plan') return [];
    stock.hold(`order-${i}`, holdsOf(placing.plan));
    return [{ id: `order-${i}`, request, plan: placing.plan }];
  });
}
