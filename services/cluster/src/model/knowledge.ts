import type { Reason } from '../placement/stock-facts.ts';

/** How old that is from which promises are made. */
export interface InventoryKnowledge {
  /** Undefined before anything was heard. */
  readonly generation?: { readonly epoch: string; readonly sequence: bigint } | undefined;
  /** Wall clocks, milliseconds. */
  readonly observedAt?: number | undefined;
  readonly lastContactAt?: number | undefined;
  /** Why nothing new may be promised by it: InventoryUnknown, InventoryStale, InventoryIncomplete. Undefined while it is fresh. */
  readonly problem?: Reason | undefined;
  /** Why no cards may be promised by it that claims hand out: CardCapacityUnknown. */
  readonly claimsProblem?: Reason | undefined;
  readonly protocol: 'deltas' | 'snapshots' | 'unknown';
}

/** What is used of the ports that all Services share, by whom. */
export interface NodePortUse {
  /** UID of a namespace -> node ports of its Services. */
  readonly byNamespace: ReadonlyMap<string, number>;
  /** Of namespaces whose uid is not known. */
  readonly others: number;
  /** Why no port may be promised by it: PortCapacityUnknown. Undefined while it is fresh. */
  readonly problem?: Reason | undefined;
}

/** The pool of addresses, as who gives them out last said. */
export interface IpPool {
  readonly total: number;
  readonly free: number;
  /** UID of a namespace -> addresses of its lease, in use and declared: they are not free any more. */
  readonly byNamespace: ReadonlyMap<string, number>;
  /** Wall clock, milliseconds. */
  readonly observedAt: number;
}
