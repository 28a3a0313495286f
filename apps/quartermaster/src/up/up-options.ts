/** What `up` was asked for. */
export interface UpOptions {
  /** Absolute. */
  readonly dataDir: string;
  readonly reset: boolean;
  /** Deleting needs no further question. */
  readonly confirmed: boolean;
  /** Name or path; the one that the data directory keeps, or `small`, unless given. */
  readonly scenario?: string;
  /** Works on the cluster of this kubeconfig. */
  readonly kubeconfig?: string;
  readonly kubernetes: 'simulated' | 'real';
  /** Of the console; 0 takes any free one. */
  readonly port: number;
  readonly json: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}
