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
}

/** What the console is and reaches. The process around it is there under `up`, for those who run it. */
export interface InstallationView extends Partial<Installation> {
  readonly version: string;
  readonly signIn: readonly SignInWay[];
  readonly upstreams: readonly UpstreamView[];
  /** Whether pods, logs and Events are there to be asked for. */
  readonly kubernetes: boolean;
}
