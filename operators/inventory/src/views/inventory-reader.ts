import {
  type CapacityView,
  capacityTopic,
  type Need,
  type NodeDetail,
  needsTopic,
  nodeTopic,
  type PodUsage,
  type StorageCard,
  storageTopic,
  type TopicState,
  type TrendSample,
  trendTopic,
} from '@quartermaster/api/inventory-views';
import { type NamedView, namedView } from './open-view.ts';

/** What views of the inventory are cut from. */
export interface InventoryReader {
  /** Undefined until everything has been read once: unknown is not empty. The same object until something changed. */
  capacity(): CapacityView | undefined;
  /** What needs a person, by how much it holds back, the most first; a bounded number of them. */
  needs(): readonly Need[] | undefined;
  /** How capacity was over the last hour, the oldest first. */
  trend(): readonly TrendSample[];
  /** Undefined when there is no such node, or nothing has been read. */
  node(name: string): NodeDetail | undefined;
  /** The pods that take room on a node. */
  podsOn(name: string): readonly PodUsage[];
  storage(): readonly StorageCard[] | undefined;
}

/** The views of an inventory, wherever one shows up: undefined while there is none. */
export function inventoryViews(inventory: () => InventoryReader | undefined): readonly NamedView[] {
  return [
    namedView(capacityTopic, () => {
      const capacity = inventory()?.capacity();
      if (capacity === undefined) return undefined;
      const { lines, ...head } = capacity;
      return { head, rows: lines };
    }),
    namedView(needsTopic, () => rowsOnly(inventory()?.needs())),
    namedView(trendTopic, () => rowsOnly(inventory()?.trend())),
    namedView(storageTopic, () => rowsOnly(inventory()?.storage())),
    namedView(nodeTopic, ({ name }) => {
      const reader = inventory();
      if (reader?.capacity() === undefined) return undefined;
      return { head: { detail: reader.node(name) }, rows: reader.podsOn(name) };
    }),
  ];
}

const rowsOnly = <Row extends object>(rows: readonly Row[] | undefined): TopicState<object, Row> | undefined =>
  rows === undefined ? undefined : { head: {}, rows };
