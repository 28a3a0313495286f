import type { NodeSale } from './inventory-shapes.ts';

/** A node in a table of thousands. */
export interface NodeRow {
  readonly name: string;
  readonly isReady: boolean;
  /** As Kubernetes has it: `Ready`, or the reason why not: `NotReady: kubelet stopped posting`, `SchedulingDisabled`. The word for its state is `nodeState`'s. */
  readonly state: string;
  readonly rack?: string | undefined;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** GPU model -> count. */
  readonly gpus: Readonly<Record<string, number>>;
  /** Those that take room on it. */
  readonly pods: number;
  /**
   * When the API server found that the kubelet no longer reports, milliseconds since the epoch; absent while it does. Every other age of this silence
   * is the same.
   */
  readonly silentSince?: number | undefined;
  /** What the inventory says of it; absent while it has not. */
  readonly sale?: NodeSale | undefined;
}
