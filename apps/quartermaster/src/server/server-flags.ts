/** What a person says about certificates. */
export interface TlsFlags {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

/** Which server is meant and how to talk to it, as a person says it. */
export interface ServerFlags extends TlsFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Name of a saved login. */
  readonly context?: string | undefined;
  /** Of the `up` that is meant, instead of a saved login. */
  readonly dataDir?: string | undefined;
  /** The tenants' API, whatever the caller may do. */
  readonly public?: boolean | undefined;
  /** The provider's API, whatever the caller may do. */
  readonly private?: boolean | undefined;
  /** How long a call may take; no flag. Default: that of the client. */
  readonly deadlineMs?: number | undefined;
}
