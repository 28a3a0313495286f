import { akashClient } from '@quartermaster/market/testing';

const { createProviderSDK } = akashClient;

interface AboutLease {
  readonly leaseId: { readonly owner: string; readonly dseq: number; readonly gseq: number; readonly oseq: number };
  readonly services?: readonly string[];
}

interface Logs {
  readonly services: readonly { readonly name: string; readonly logs: Uint8Array }[];
}

interface Statuses {
  readonly services: readonly {
    readonly name: string;
    readonly status: { readonly available: number; readonly uris: readonly string[] };
  }[];
}

/** What the library has of leases: its types leave that out. */
interface LeaseCalls {
  sendManifest(request: AboutLease & { readonly manifest: readonly unknown[] }): Promise<unknown>;
  serviceStatus(request: AboutLease): Promise<Statuses>;
  streamServiceStatus(request: AboutLease): Promise<AsyncIterable<Statuses>>;
  serviceLogs(request: AboutLease): Promise<Logs>;
  streamServiceLogs(request: AboutLease, options: { readonly signal: AbortSignal }): Promise<AsyncIterable<Logs>>;
}

/** The published client of providers, as it comes. */
export function libraryClient(baseUrl: string, pair?: { readonly cert: string; readonly privateKey: string }) {
  const { akash } = createProviderSDK({
    baseUrl,
    ...(pair && { authentication: { type: 'mtls', cert: pair.cert, key: pair.privateKey } }),
    transportOptions: { idleConnectionTimeoutMs: 1_000, defaultTimeoutMs: 20_000 },
  });
  const { lease } = akash.provider as unknown as { readonly lease: { readonly v1: LeaseCalls } };
  return { provider: akash.provider.v1, lease: lease.v1 };
}
