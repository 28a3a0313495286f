/** What a person says about certificates. */
export interface TlsFlags {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
}

/** Where to find a server, as a person says it. */
export interface ServerFlags extends TlsFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  /** Of the `up` that is asked when no server is named. */
  readonly dataDir: string;
}

/** Names the inventory where no flag does. */
export const serverVariable = 'QUARTERMASTER_SERVER';

/** Names the fulfillment service where no flag does. */
export const apiServerVariable = 'QUARTERMASTER_API_SERVER';

/** The token for it, where no flag names a file. */
export const apiTokenVariable = 'QUARTERMASTER_API_TOKEN';

/** Which saved login is meant, where no flag says so. */
export const contextVariable = 'QUARTERMASTER_CONTEXT';

/** Variables of commands that ask a server: no setting of a role, though their names begin like those. */
export const clientVariables: readonly string[] = [serverVariable, apiServerVariable, apiTokenVariable, contextVariable];
