import type { ResourceType } from '../objects/objects.ts';
import type { KubeTransport } from '../transport/transport.ts';
import type { RequestOptions } from './api.ts';

/** A kind that the server serves, with what can be done to it. */
export interface DiscoveredResource extends ResourceType {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
  /** True for the version that the server prefers in this group. */
  readonly preferred: boolean;
}

interface AggregatedDiscovery {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: 'Cluster' | 'Namespaced';
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform: string;
}

// One request for the core group and one for all others; served since Kubernetes 1.27.
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Every kind that the server serves now, in every version. CRDs come and go: ask again rather than keep the answer. */
export async function discover(transport: KubeTransport, options: RequestOptions = {}): Promise<readonly DiscoveredResource[]> {
  const ask = (path: string): Promise<AggregatedDiscovery> =>
    transport.json<AggregatedDiscovery>({ ...options, what: 'discover kinds', method: 'GET', path, accept: aggregated });
  const [core, groups] = await Promise.all([ask('/api'), ask('/apis')]);
  return [...resourcesOf(core), ...resourcesOf(groups)];
}

/** The preferred version of a kind, or undefined while the server does not serve it. */
export async function discoverKind(
  transport: KubeTransport,
  wanted: { readonly group: string; readonly kind: string },
  options: RequestOptions = {},
): Promise<DiscoveredResource | undefined> {
  const found = (await discover(transport, options)).filter(({ group, kind }) => group === wanted.group && kind === wanted.kind);
  return found.find(({ preferred }) => preferred) ?? found[0];
}

export async function serverVersion(transport: KubeTransport, options: RequestOptions = {}): Promise<ServerVersion> {
  return await transport.json<ServerVersion>({ ...options, what: 'get server version', method: 'GET', path: '/version' });
}

function* resourcesOf(discovery: AggregatedDiscovery): Generator<DiscoveredResource> {
  for (const group of discovery.items ?? []) {
    for (const [index, version] of (group.versions ?? []).entries()) {
      for (const resource of version.resources ?? []) {
        yield {
          group: group.metadata?.name ?? '',
          version: version.version,
          kind: resource.responseKind?.kind ?? '',
          plural: resource.resource,
          namespaced: resource.scope === 'Namespaced',
          verbs: resource.verbs,
          shortNames: resource.shortNames ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
          preferred: index === 0,
        };
      }
    }
  }
}
