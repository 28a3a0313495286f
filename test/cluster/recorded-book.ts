import {
  type InventoryChange,
  type InventoryKnowledge,
  InventoryPicture,
  type IpPool,
  type NodePortUse,
} from '@quartermaster/cluster/testing';

/** Remembers what it was told. */
export class RecordedBook {
  readonly picture = new InventoryPicture();
  readonly changes: InventoryChange[] = [];
  knowledge: InventoryKnowledge | undefined;
  ports: NodePortUse | undefined;
  readonly pools: (IpPool | undefined)[] = [];
  readonly #heard: (change: InventoryChange) => void;

  /** `heard` is called after each change was taken. */
  constructor(heard: (change: InventoryChange) => void = () => {}) {
    this.#heard = heard;
  }

  takeInventory(change: InventoryChange): void {
    this.changes.push(change);
    this.picture.take(change);
    this.#heard(change);
  }

  setKnowledge(knowledge: InventoryKnowledge): void {
    this.knowledge = knowledge;
  }

  setNodePorts(use: NodePortUse): void {
    this.ports = use;
  }

  setIpPool(pool: IpPool | undefined): void {
    this.pools.push(pool);
  }

  /** Undefined while promises can be made. */
  get problem(): string | undefined {
    return this.knowledge?.problem?.code;
  }

  /** Node -> free millicores. */
  get freeCpu(): Record<string, number> {
    return Object.fromEntries([...this.picture.nodes].map(([name, { facts }]) => [name, facts.cpuMillis]));
  }
}
