/** What the processes of this benchmark tell each other. */

/** Of the leases, and the prefix of their namespaces. */
export const owner = 'acme';

/** That each pod writes. */
export const linesPerSecond = 2;

/** Of the log that has one gigabyte. */
export const [longLines, longLineLength] = [10_000, 100_000];

/** The site is there: a cluster, its inventory and a market. It deploys once it is told to, and answers with `Deployed`. */
export interface SiteReady {
  readonly kubeconfig: string;
  /** Settings of the cluster service. */
  readonly clusterArgs: readonly string[];
  /** Where its gateway serves: `127.0.0.1:40123`. */
  readonly gateway: string;
  readonly market: { readonly address: string; readonly token: string };
  /** What gateways show tenants. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Deployed {
  readonly leases: readonly TenantLease[];
  /** Its log has one gigabyte. */
  readonly talkative: TenantLease;
}

/** A lease that runs, and a token for it. */
export interface TenantLease {
  readonly dseq: string;
  readonly services: readonly string[];
  readonly token: string;
}

/** To a gateway. It says `GatewayReady` of its own accord. */
export type GatewayRequest =
  /** Collect what is no longer used: `Memory`. */
  | { readonly kind: 'collect' }
  /** Collect, and look at the memory from now on: `Memory`. */
  | { readonly kind: 'observe' }
  /** The most since then: `Memory`. */
  | { readonly kind: 'peak' };

export interface GatewayReady {
  readonly address: string;
}

export interface Memory {
  readonly rssBytes: number;
}

/** To the tenants. */
export type TenantRequest =
  /** Open so many streams: the answer comes once each of them has said something, and what they say is not kept. */
  | { readonly kind: 'open'; readonly address: string; readonly logs: number; readonly shells: number }
  /** `Heard`. */
  | { readonly kind: 'close' }
  /** Read the long log, from its middle on slowly: `Read`. */
  | { readonly kind: 'read'; readonly address: string };

export interface Heard {
  readonly messages: number;
}

export interface Read {
  readonly bytes: number;
  /** Of the half that was read as fast as it came. */
  readonly bytesPerSecond: number;
}
