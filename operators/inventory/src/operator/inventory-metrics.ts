import type { Metrics, Sample } from '@quartermaster/service';
import type { TotalAmount } from '../model/amount.ts';
import type { InventoryTotals, ResourceTotals } from '../model/snapshot.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import type { Inventory } from './inventory.ts';

type Share = 'sellable' | 'held-back' | 'unknown';

const amountNames = ['capacity', 'allocatable', 'allocated', 'available', 'overcommitted'] as const;
const shares: readonly [Share, (totals: InventoryTotals) => ResourceTotals][] = [
  ['sellable', ({ sellable }) => sellable],
  ['held-back', ({ heldBack }) => heldBack],
  ['unknown', ({ unknown }) => unknown],
];

/** Registers what a provider wants to see over time. Nothing is counted until somebody scrapes. Returns what ends it. */
export function inventoryMetrics(metrics: Metrics, inventory: Inventory): () => void {
  const ends = [
    metrics.collectGauge(
      {
        name: 'quartermaster_inventory_resource',
        help: 'Resources of the cluster by what can be done with them: millicores, bytes, devices.',
        labels: ['resource', 'share', 'amount'],
      },
      () => resources(inventory.feed.state()?.totals),
    ),
    metrics.collectGauge(
      {
        name: 'quartermaster_inventory_storage_bytes',
        help: 'Space of storage classes whose capacity is known, offered or not.',
        labels: ['class', 'amount'],
      },
      () => storage(inventory.feed.current()?.storage ?? []),
    ),
    metrics.collectGauge(
      {
        name: 'quartermaster_inventory_storage_offered',
        help: '1 for each storage class that is offered, 0 with the reason for one that is not.',
        labels: ['class', 'reason'],
      },
      () =>
        (inventory.feed.current()?.storage ?? []).map(({ class: name, refusal }) => ({
          labels: { class: name, reason: refusal?.code ?? '' },
          value: refusal === undefined ? 1 : 0,
        })),
    ),
    metrics.collectGauge(
      { name: 'quartermaster_inventory_nodes', help: 'Nodes by whether something can be sold on them.', labels: ['share'] },
      () => nodes(inventory.feed.state()?.totals),
    ),
    metrics.collectGauge(
      { name: 'quartermaster_inventory_silent_agents', help: 'Nodes of which nobody confirms the hardware: their agent is not ready.' },
      () => [{ labels: {}, value: inventory.agents.silent }],
    ),
    metrics.collectCounter({ name: 'quartermaster_inventory_drifts_total', help: 'Amounts that an audit had to correct.' }, () => [
      { labels: {}, value: inventory.ledger.drifts },
    ]),
    metrics.collectGauge({ name: 'quartermaster_inventory_generation', help: 'Sequence of the newest published generation.' }, () => [
      { labels: {}, value: inventory.feed.state()?.generation.sequence ?? 0 },
    ]),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function* nodes(totals: InventoryTotals | undefined): Generator<Sample<'share'>> {
  if (totals === undefined) return;
  yield { labels: { share: 'sellable' }, value: totals.nodes.sellable };
  yield { labels: { share: 'held-back' }, value: totals.nodes.heldBack };
  yield { labels: { share: 'unknown' }, value: totals.nodes.unknown };
}

function* resources(totals: InventoryTotals | undefined): Generator<Sample<'resource' | 'share' | 'amount'>> {
  if (totals === undefined) return;
  for (const [share, of] of shares) {
    const { cpu, memory, ephemeralStorage, gpus } = of(totals);
    yield* amounts('cpu', share, cpu);
    yield* amounts('memory', share, memory);
    yield* amounts('ephemeral-storage', share, ephemeralStorage);
    for (const [model, amount] of gpus) yield* amounts(`gpu/${model}`, share, amount);
  }
}

function* amounts(resource: string, share: Share, amount: TotalAmount): Generator<Sample<'resource' | 'share' | 'amount'>> {
  for (const name of amountNames) {
    yield { labels: { resource, share, amount: name }, value: Number(amount[name]) };
  }
}

function* storage(classes: readonly StorageInventory[]): Generator<Sample<'class' | 'amount'>> {
  for (const { class: name, amount } of classes) {
    if (amount === undefined) continue;
    for (const each of amountNames) yield { labels: { class: name, amount: each }, value: amount[each] };
  }
}
