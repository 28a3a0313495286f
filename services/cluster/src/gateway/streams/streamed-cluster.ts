import type { PodExec } from '@quartermaster/kube';
import type { EventSource } from './event-stream.ts';
import type { LineOptions } from './log-stream.ts';

/** What streams need of the cluster. */
export interface StreamedCluster {
  lines(pod: { readonly namespace: string; readonly name: string }, options: LineOptions): AsyncIterable<string>;
  exec(
    pod: { readonly namespace: string; readonly name: string },
    options: {
      readonly container: string;
      readonly command: readonly string[];
      readonly tty: boolean;
      readonly stdin: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<PodExec>;
  readonly events: EventSource;
}
