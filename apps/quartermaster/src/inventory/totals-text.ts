import type { Amount, ResourceTotals, Totals } from '@quartermaster/api/inventory';
import { nodeState, type SellState } from '@quartermaster/api/states';
import type { Look } from '../text/listing.ts';
import { listText, table } from '../text/table.ts';
import { tripleText, type Unit } from './amount-text.ts';

/** Everything added up, split by what can be done with it. */
export function totalsText(totals: Totals, look: Look): string {
  const share = (state: SellState, nodes: bigint, resources: ResourceTotals | undefined): readonly string[] => {
    const style = { exact: look.exact, isKnown: state !== 'unknown' };
    const name = nodeState({ state, why: [] }).word;
    // A disk may be unknown on a node that is not.
    const text = (amount: Amount | undefined, unit: Unit): string =>
      nodes === 0n && (amount?.capacity ?? 0n) === 0n ? '-' : tripleText(amount, unit, style);
    return [
      name,
      nodes.toString(),
      text(resources?.cpu, 'millicores'),
      text(resources?.memory, 'bytes'),
      text(resources?.ephemeralStorage, 'bytes'),
      nodes === 0n
        ? '-'
        : listText(modelAmounts(resources?.gpus ?? {}).map(([model, amount]) => `${model} ${tripleText(amount, 'devices', style)}`)),
    ];
  };
  return table(
    ['STATE', 'NODES', 'CPU', 'MEMORY', 'EPHEMERAL', 'GPU'],
    [
      share('sellable', totals.sellableNodes, totals.sellable),
      share('held-back', totals.heldBackNodes, totals.heldBack),
      share('unknown', totals.unknownNodes, totals.unknown),
    ],
  );
}

/** By model alone, sorted: `vendor/model/interface/memory` is more than a line holds. */
function modelAmounts(gpus: Readonly<Record<string, Amount>>): readonly (readonly [string, Amount])[] {
  const byModel = new Map<string, Amount>(); // model -> devices
  for (const [key, amount] of Object.entries(gpus)) {
    const model = key.split('/')[1] ?? key;
    byModel.set(model, sumOf(byModel.get(model), amount));
  }
  return [...byModel].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function sumOf(a: Amount | undefined, b: Amount): Amount {
  if (a === undefined) return b;
  return {
    ...a,
    capacity: a.capacity + b.capacity,
    allocatable: a.allocatable + b.allocatable,
    allocated: a.allocated + b.allocated,
    available: a.available + b.available,
    overcommitted: a.overcommitted + b.overcommitted,
  };
}
