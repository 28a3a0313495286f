/** What one reservation takes of the stock. By the names of nodes: it stays when a node goes, and counts again when it comes back. */
export interface Holds {
  readonly nodes: ReadonlyMap<string, NodeHold>;
  readonly ports: number;
  readonly ips: number;
}

export interface NodeHold {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  readonly pods: number;
  readonly cards: readonly CardHold[];
  /** Storage class -> bytes. */
  readonly volumes: ReadonlyMap<string, number>;
}

export interface CardHold {
  readonly resource: string;
  /** By groupKey; undefined where the device plugin picks: then it may be any of the pool. */
  readonly group: string | undefined;
  readonly count: number;
}
