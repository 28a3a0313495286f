import type { PodRequests } from '@quartermaster/kube';

/*
 * What the ledger is told, as projections of Kubernetes objects. Each value is complete: the ledger replaces what it had.
 */

export interface ObservedTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface ObservedNode {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly unschedulable: boolean;
  readonly deleting: boolean;
  /** Of the machine, by its kubelet; undefined where that tells nothing of one machine. */
  readonly systemUuid?: string | undefined;
  readonly taints: readonly ObservedTaint[];
  readonly conditions: readonly ObservedCondition[];
  /** resource name -> quantity, as the kubelet reports them. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly since?: number | undefined;
  /** Of a readiness that is not True, and of conditions that are not the kubelet's own. */
  readonly message?: string | undefined;
}

export interface ObservedPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The node on which it takes room; empty for one that takes none (not bound, or finished). */
  readonly node: string;
  readonly requests: PodRequests;
  /** Milliseconds since the epoch; 0 for one that asks for no devices. */
  readonly createdAt: number;
  /** Memory-backed emptyDir volumes, once per pod. */
  readonly ramBytes: number;
  /** Labels that tie it to its lease, the service among them; empty for a pod of no lease. */
  readonly leaseLabels: Readonly<Record<string, string>>;
}

/** The agent of a node is not heard of. */
export interface AgentSilence {
  /** When it last was, in milliseconds since the epoch; undefined if never. */
  readonly lastContactAt: number | undefined;
  readonly reason: string;
  /** It may only be starting anew: what it said still counts, but not of what came later. */
  readonly isBrief: boolean;
}

/** A device published by a DRA driver, from the newest generation of its pool that was complete. */
export interface ObservedDevice {
  readonly node: string;
  /** The UID of the Node that it was published for; undefined where nobody says. */
  readonly nodeUid?: string | undefined;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly memoryBytes?: number | undefined;
  /** Taints that keep new pods away. */
  readonly taints: readonly ObservedTaint[];
  /** Its driver is changing the pool, or has stopped in the middle of it: until all of it is there, nobody can get a device of it. */
  readonly isPoolIncomplete?: boolean | undefined;
  /** A claim has it. */
  readonly isTaken?: boolean;
  /** The pods for which the device is reserved by claims. */
  readonly holders?: readonly { readonly namespace: string; readonly pod: string; readonly podUid: string }[] | undefined;
  /** What it has in common with other devices of its pool; undefined when that is nothing. */
  readonly counters?: readonly DeviceCounter[] | undefined;
}

/** A counter of a pool, and what a device draws of it. All in thousandths. */
export interface DeviceCounter {
  readonly name: string;
  readonly need: number;
  /** Without what claimed devices draw, this one among them if it is claimed. */
  readonly left: number;
  readonly total: number;
}
