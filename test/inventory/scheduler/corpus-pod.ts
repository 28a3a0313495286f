import { type CountedContainerStatus, type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import type { PodAnswer } from '../../kube/vectors/oracle.ts';

/** resource name -> quantity */
export type Amounts = Readonly<Record<string, string>>;

export interface CorpusContainer {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: 'Always';
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
}

export interface CorpusSpec {
  readonly containers: readonly CorpusContainer[];
  readonly initContainers?: readonly CorpusContainer[];
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  readonly runtimeClassName?: string;
  readonly volumes?: readonly object[];
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

/** With what the API server asks for beside what is counted. */
export interface CorpusContainerStatus extends CountedContainerStatus {
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly restartCount: number;
}

export interface CorpusStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[];
  readonly containerStatuses?: readonly CorpusContainerStatus[];
  readonly initContainerStatuses?: readonly CorpusContainerStatus[];
}

/** A pod as the tests write it: with what is newer than the types of the API. */
export interface CorpusPod extends KubeObject {
  readonly spec: CorpusSpec;
  readonly status?: CorpusStatus;
}

/** One line of the corpus: what was sent to the API server, and what the scheduler counts on the node for what it stored. */
export interface CorpusEntry {
  readonly name: string;
  readonly spec: CorpusSpec;
  readonly status?: CorpusStatus;
  readonly counted: PodAnswer;
}

export const corpusPods = resourceType<CorpusPod>({ ...kinds.pods });

export const corpusNamespace = 'corpus';

/** Counts nothing: a pod that has ended takes no room. */
export const nothing: PodAnswer = { cpuMillis: 0, memoryBytes: 0, ephemeralStorageBytes: 0, extended: {} };

export const isTerminal = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';
