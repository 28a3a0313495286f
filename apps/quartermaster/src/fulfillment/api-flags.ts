import type { TlsFlags } from '../server/server-flags.ts';

/** Which fulfillment service is meant and how to talk to it, as a person says it. */
export interface ApiFlags extends TlsFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  /** Name of a saved login. */
  readonly context?: string;
  /** Of the `up` that is meant, instead of a saved login. */
  readonly dataDir?: string;
  /** The tenants' API, whatever the caller may do. */
  readonly public?: boolean;
  /** The provider's API, whatever the caller may do. */
  readonly private?: boolean;
}
