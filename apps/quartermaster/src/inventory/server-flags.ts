/** Where to find the inventory, as a person says it. */
export interface ServerFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Of the `up` that is asked when no server is named. */
  readonly dataDir: string;
}

/** Names the server where no flag does. */
export const serverVariable = 'QUARTERMASTER_SERVER';
