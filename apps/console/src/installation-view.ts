import type { SignInWay, UpstreamView } from './session-view.ts';

export const installationPath = '/api/console/v1/installation';

export type PartState = 'starting' | 'ready' | 'degraded' | 'failed' | 'stopped';

export interface ConsolePart {
  readonly name: string;
  /** An embedded server, a role of ours, or something that we only talk to. */
  readonly kind: 'embedded' | 'role' | 'external';
  readonly state: PartState;
  /** Why it is not ready, as a sentence. */
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Facts worth showing beside it: address -> https://127.0.0.1:…, pid -> 123. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Something that a part became, for the trace. */
export interface PartChange {
  readonly at: number;
  readonly name: string;
  readonly state: PartState;
  readonly reason?: string | undefined;
}

/** Something that goes wrong on purpose in a simulation. */
export interface SimulatedFault {
  readonly id: string;
  /** `node-loss`, `latency`. */
  readonly kind: string;
  /** The node that it befalls; undefined for faults of the API server. */
  readonly node?: string | undefined;
  /** As they were given: ms -> 3000 */
  readonly settings: Readonly<Record<string, string>>;
}

export interface FaultChange {
  readonly at: number;
  /** `happened`: once, and there is nothing to end. */
  readonly change: 'began' | 'ended' | 'happened';
  readonly fault: SimulatedFault;
}

/** The faults of a simulation, and how they came and went, the newest last. */
export interface SimulatedFaults {
  readonly active: readonly (SimulatedFault & { readonly since: number | undefined })[];
  readonly history: readonly FaultChange[];
}

/** What a process that runs the console beside other roles consists of. */
export interface Installation {
  readonly installation: {
    readonly version: string;
    readonly startedAt: number;
    readonly scenario?: string | undefined;
    readonly dataDirectory?: string | undefined;
    readonly kubernetes: 'simulated' | 'real' | 'given';
    readonly server: string;
    readonly kubeconfig: string;
  };
  readonly parts: readonly ConsolePart[];
  /** What became of the parts, the newest last, as far as it is kept. */
  readonly changes?: readonly PartChange[] | undefined;
}

/** What the console is and reaches. The process around it is there under `up`, for those who run it. */
export interface InstallationView extends Partial<Installation> {
  readonly version: string;
  readonly signIn: readonly SignInWay[];
  readonly upstreams: readonly UpstreamView[];
  /** Whether pods, logs and Events are there to be asked for. */
  readonly kubernetes: boolean;
  /** Where something is simulated. */
  readonly faults?: SimulatedFaults | undefined;
}
