/** What the processes of this benchmark tell each other. Times are milliseconds since the epoch by the machine's one monotonic clock. */

export interface ClusterReady {
  readonly kubeconfig: string;
  readonly nodes: readonly string[];
}

/** A client has read everything and published it once. */
export interface ClientReady {
  /** Since its process began. */
  readonly coldSyncSeconds: number;
  /** Where it serves gRPC, if it does. */
  readonly address?: string | undefined;
}

/** To a client: begin a window of measurement and say so; or answer with a `ClientWindow` when so many events are published, or when no more come. */
export type ClientRequest = { readonly kind: 'begin' } | { readonly kind: 'end'; readonly events: number };

export interface ClientWindow {
  readonly cpuMicros: number;
  readonly peakRssMb: number;
  /** Of each event, in the order of arrival. */
  readonly published: readonly PublishedEvent[];
}

export type PublishedEvent = readonly [kind: EventKind, pod: number, publishedAtMs: number];
export type EventKind = 'added' | 'deleted';

/** The label with the number of a pod of the writer's. */
export const podLabel = 'akash.network/lease.id.dseq';
export const churnNamespace = 'bench-churn';
/** Of the operator and of the agents. */
export const operatorNamespace = 'default';

export const nowMs = (): number => performance.timeOrigin + performance.now();
