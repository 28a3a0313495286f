// Made from api/crds/reservation.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/**
 * A part of the cluster that is promised to an order. The object has the name of its order, owner-dseq-gseq-oseq, where the owner is shortened and gets a
 * hash if that is no name for an object. It is promised once its status says that it is confirmed; an unconfirmed one of an older term is deleted by the next leader.
 */
export interface Reservation {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: ReservationSpec;
  readonly status?: ReservationStatus | undefined;
}

export interface ReservationSpec {
  readonly order: ReservedOrder;
  /** Whom its amounts are counted for. */
  readonly owner: string;
  /** When it is given back if it is still pending. Absent when it is not, and where it was made for a bid. */
  readonly expiresAt?: string | undefined;
  readonly bid?: ReservedBid | undefined;
  /** Of the leader that wrote it last. Each new leader has a higher one. */
  readonly term: number;
  /** What was asked for, as ordered. */
  readonly units: readonly ReservedUnit[];
  readonly plan: ReservationPlan;
}

/** What became of it. Absent for an attempt that nobody may rely on. */
export interface ReservationStatus {
  /** It is promised. Written once, by the leader that made it and while it still led. */
  readonly confirmed?: boolean | undefined;
  /** Pending: a bid may be won. Active: there is a lease, and it stays until it is unreserved. */
  readonly phase?: 'Pending' | 'Active' | undefined;
  readonly leaseNamespace?: LeaseNamespace | undefined;
  /** States that a person should know of. */
  readonly conditions?: readonly ReservationCondition[] | undefined;
}

export interface ReservedOrder {
  /** The account that ordered. */
  readonly owner: string;
  /** A number of 64 bits. */
  readonly dseq: string;
  readonly gseq: number;
  readonly oseq: number;
}

/**
 * The price of the bid that it was made for, for each block of the market. It is given back when the market says that the bid cannot win, or that its
 * lease is closed, and not before.
 */
export interface ReservedBid {
  readonly denom: string;
  /** Exact. */
  readonly amount: string;
}

export interface ReservedUnit {
  /** Unique within the reservation. */
  readonly id: number;
  /** Replicas. */
  readonly count: number;
  /** Of one replica. */
  readonly cpuMillis: number;
  /** Of one replica, without RAM volumes. */
  readonly memoryBytes: number;
  readonly gpus?: ReservedGpus | undefined;
  readonly volumes?: readonly ReservedVolume[] | undefined;
  /** Endpoints that get a port of the cluster's, one each. */
  readonly randomPorts?: number | undefined;
  /** Names of endpoints with a leased address. Units that name the same one share it. */
  readonly leasedIps?: readonly string[] | undefined;
}

/** Where everything goes. A pending one is planned anew when nodes change. */
export interface ReservationPlan {
  /** Of the cluster's pool. */
  readonly ports: number;
  readonly leasedIps: number;
  /** In the order of the units that were asked for. */
  readonly units: readonly PlannedUnit[];
}

/** The namespace in which pods are its own. Those of an earlier namespace of the same name are not. */
export interface LeaseNamespace {
  readonly name: string;
  readonly uid: string;
}

export interface ReservationCondition {
  /** Unplaceable: its plan no longer fits, and no other was found. LeaseNamespaceAmbiguous: several namespaces have the labels of its lease. LeaseNamespaceGone: the namespace of its lease no longer exists. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Why, for programs: CamelCase. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface ReservedGpus {
  /** Cards of one replica. */
  readonly count: number;
  /** Any of them will do. */
  readonly wants: readonly GpuWant[];
}

export interface ReservedVolume {
  /** Unique within the unit. */
  readonly name: string;
  readonly kind: 'ephemeral' | 'ram' | 'persistent';
  readonly bytes: number;
  /** Of a persistent one: default, beta1 … by performance, or the name of a storage class. */
  readonly storageClass?: string | undefined;
}

export interface PlannedUnit {
  readonly id: number;
  /** What the pod of each replica requests, commit levels applied. */
  readonly cpuMillis: number;
  /** With RAM volumes. */
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
  /** Persistent ones, the same for all replicas: they come from one claim template. */
  readonly volumes?: readonly PlannedVolume[] | undefined;
  readonly replicas: readonly PlannedReplica[];
}

export interface GpuWant {
  readonly vendor: string;
  /** `*` for any. */
  readonly model: string;
  readonly memoryBytes?: number | undefined;
  /** pcie or sxm: without a generation. */
  readonly interface?: string | undefined;
}

export interface PlannedVolume {
  readonly name: string;
  /** Name of a StorageClass. */
  readonly storageClass: string;
  readonly bytes: number;
  readonly space?: PlannedSpace | undefined;
}

export interface PlannedReplica {
  readonly node: string;
  readonly nodeUid: string;
  readonly cards?: PlannedCards | undefined;
}

/** Where its bytes were known to be when it was planned: what is not sold beside it while nobody tells of its class. */
export interface PlannedSpace {
  /** Whether the space is a node's own. */
  readonly nodeLocal: boolean;
  /** Of each byte. */
  readonly copies: number;
  /** Of those, how many one node may have to hold. Default 1. */
  readonly copiesOnNode?: number | undefined;
  /** Storage classes that draw on other bytes. Of any other that was not known. */
  readonly apartFrom?: readonly string[] | undefined;
  /** Nodes of the replicas in whose ephemeral storage it lies. */
  readonly ephemeralNodes?: readonly string[] | undefined;
  /** Whether it may come to lie in the ephemeral storage of nodes, where the space is not a node's own. */
  readonly anyEphemeralStorage?: boolean | undefined;
}

export interface PlannedCards {
  /** The resource name by which pods ask for them. */
  readonly resource: string;
  readonly count: number;
  /** Who decides which cards the pod gets. Only a claim can be held to one group. */
  readonly assignedBy: 'claim' | 'plugin';
  /** What they are; where the device plugin picks, each may turn out to be any of these. */
  readonly groups: readonly CardGroup[];
  /** Ids of the very devices, where a claim names them. */
  readonly devices?: readonly string[] | undefined;
}

export interface CardGroup {
  readonly vendor: string;
  readonly model: string;
  /** As the inventory has it: PCIe, SXM5 … */
  readonly interface?: string | undefined;
  /** Absent when unknown. */
  readonly memoryBytes?: number | undefined;
}

export const reservationType: ResourceType<Reservation> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'Reservation',
  plural: 'reservations',
  namespaced: false,
};
