import type { RunFacts } from '../up/run-file.ts';

/** A server of a running `up`. */
export interface RunServer {
  /** `host:port` */
  readonly grpc: string;
  /** With a token of somebody who may do everything there; absent where none is needed. */
  readonly tokenFile?: string | undefined;
}

/** Where a role of a running `up` serves; undefined as long as it does not. */
export function serverOfRun({ inventory, fulfillment }: RunFacts, role: string): RunServer | undefined {
  return { 'operator-inventory': inventory, 'service-fulfillment': fulfillment }[role];
}
