import { createHash } from 'node:crypto';

/** What an order asks for. All of its units are placed, or none. */
export interface Request {
  readonly units: readonly Unit[];
}

/** `count` replicas that are alike. Amounts are those of one replica, as ordered: commit levels are applied by the placement. */
export interface Unit {
  /** Unique within the request. */
  readonly id: number;
  readonly count: number;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly gpus?: GpuNeed | undefined;
  readonly volumes: readonly Volume[];
  /** Endpoints that get a port of the cluster's. One each, however many replicas answer on it. */
  readonly randomPorts?: number | undefined;
  /** Names of endpoints with a leased address. Units that name the same one share it. */
  readonly leasedIps?: readonly string[] | undefined;
}

/** Cards for each replica. Any of the wants will do; all cards of one replica are of one group, those of all replicas of one resource. */
export interface GpuNeed {
  readonly count: number;
  readonly wants: readonly GpuWant[];
  /** The only one that will do, where other replicas of the unit have theirs of it. Nobody orders it. */
  readonly resource?: string | undefined;
}

export interface GpuWant {
  readonly vendor: string;
  /** `*` for any. */
  readonly model: string;
  readonly memoryBytes?: number | undefined;
  /** pcie, sxm: without a generation, as orders have it. */
  readonly interface?: string | undefined;
}

export type Volume =
  /** Gone with the pod; on the node's disk. */
  | { readonly kind: 'ephemeral'; readonly name: string; readonly bytes: number }
  /** Gone with the pod; in the node's memory. */
  | { readonly kind: 'ram'; readonly name: string; readonly bytes: number }
  /** `class`: `default`, `beta1` … by performance, or the name of a storage class. */
  | PersistentVolume;

export interface PersistentVolume {
  readonly kind: 'persistent';
  readonly name: string;
  readonly class: string;
  readonly bytes: number;
}

const wantsTexts = new WeakMap<readonly GpuWant[], string>();

/** Equal for the same wants in whichever order. Made once: a search for a place asks often, and there may be many wants. */
export function wantsText(wants: readonly GpuWant[]): string {
  let text = wantsTexts.get(wants);
  if (text === undefined) {
    const texts = wants.map((want) => JSON.stringify([want.vendor, want.model, want.memoryBytes ?? 0, want.interface ?? '']));
    const all = texts.sort().join();
    wantsTexts.set(wants, (text = all.length <= 100 ? all : createHash('sha256').update(all).digest('base64')));
  }
  return text;
}

export const isPersistent = (volume: Volume): volume is PersistentVolume => volume.kind === 'persistent';

export function bytesOf(unit: Unit, kind: Volume['kind']): number {
  let sum = 0;
  for (const volume of unit.volumes) if (volume.kind === kind) sum += volume.bytes;
  return sum;
}
