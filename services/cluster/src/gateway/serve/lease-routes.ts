import { manifestJson, sortedManifest } from '@quartermaster/api/lease-manifest';
import { StatusError } from '@quartermaster/kernel';
import type { ManifestStore } from '../../known-leases/manifest-store.ts';
import type { RecordStore } from '../../known-leases/record-store.ts';
import type { Granted } from '../who/granted.ts';
import { type LeaseStatusBody, leaseStatusBody, serviceStatusBody } from '../wire/lease-status-body.ts';
import type { GatewayRoute, TenantRequest } from './gateway-route.ts';
import type { HttpAnswer } from './http-answer.ts';
import type { TenantActions } from './leader-actions.ts';
import type { LeaseDoor } from './lease-door.ts';
import { type MigrateEndpointsOptions, migrateEndpoints } from './migrate-endpoints.ts';
import { type MigrateHostnamesOptions, migrateHostnames } from './migrate-hostnames.ts';
import { confirmedIn, dseqOf, leaseNumbers } from './query-values.ts';
import { jsonIn } from './read-body.ts';
import { submitManifest } from './submit-manifest.ts';

export interface LeaseRoutesOptions extends MigrateHostnamesOptions, MigrateEndpointsOptions {
  readonly door: LeaseDoor;
  readonly records: Pick<RecordStore, 'of' | 'all'>;
  readonly manifests: Pick<ManifestStore, 'of'>;
  readonly actions: TenantActions;
  readonly publicHost: string;
}

const maxManifestBytes = 1024 * 1024;
const lease = '/lease/{dseq}/{gseq}/{oseq}';

/** What tenants ask of their leases, but for streams. */
export function leaseRoutes(options: LeaseRoutesOptions): readonly GatewayRoute[] {
  const { door, manifests, publicHost } = options;
  return [
    {
      ...{ kind: 'answer', method: 'PUT', path: '/deployment/{dseq}/manifest', maxBodyBytes: maxManifestBytes },
      answer: (request, body) => putManifest(options, request, body),
    },
    {
      kind: 'answer',
      method: 'GET',
      path: `${lease}/manifest`,
      answer: async ({ tenant, parts }) => {
        const { namespace, name } = door.openWhole(tenant, leaseNumbers(parts), 'get-manifest');
        const stored = namespace && readManifest(manifests, namespace.name);
        if (stored === undefined) throw new StatusError('not_found', `manifest: lease ${name} has none yet`);
        return { text: manifestJson([stored.group]) };
      },
    },
    {
      kind: 'answer',
      method: 'GET',
      path: `${lease}/status`,
      answer: async ({ tenant, parts }) => {
        const { sight, services } = door.open(tenant, leaseNumbers(parts), 'status');
        return { json: ofServices(leaseStatusBody(sight, publicHost), services) };
      },
    },
    {
      kind: 'answer',
      method: 'GET',
      path: `${lease}/service/{service}/status`,
      answer: async ({ tenant, parts }) => {
        const service = parts['service'] ?? '';
        return { json: serviceStatusBody(door.openService(tenant, leaseNumbers(parts), 'status', service), service, publicHost) };
      },
    },
    {
      kind: 'answer',
      method: 'POST',
      path: '/hostname/migrate',
      answer: async ({ tenant, signal }, body) => {
        await migrateHostnames(options, tenant, jsonIn(body), signal);
        return { json: {} };
      },
    },
    {
      kind: 'answer',
      method: 'POST',
      path: '/endpoint/migrate',
      answer: async ({ tenant, signal }, body) => {
        await migrateEndpoints(options, tenant, jsonIn(body), signal);
        return { json: {} };
      },
    },
  ];
}

/** Why it cannot be read names what is inside of the provider. */
function readManifest(manifests: LeaseRoutesOptions['manifests'], namespace: string): ReturnType<ManifestStore['of']> {
  try {
    return manifests.of(namespace);
  } catch (thrown) {
    throw new StatusError('unavailable', 'manifest: cannot be read at the moment: send it again, or ask the provider', { cause: thrown });
  }
}

/** What a token for some services shows of a lease. */
function ofServices({ services, forwarded_ports: ports, ips, ...rest }: LeaseStatusBody, granted: Granted): object {
  if (granted === 'all') return { services, forwarded_ports: ports, ips, ...rest };
  const own = <T>(all: Readonly<Record<string, T>>): object =>
    Object.fromEntries(Object.entries(all).filter(([name]) => granted.has(name)));
  return { services: own(services), forwarded_ports: own(ports), ips: own(ips) };
}

/** Has every lease of the deployment run it. */
async function putManifest(
  { door, actions }: LeaseRoutesOptions,
  { tenant, parts, query, signal }: TenantRequest,
  body: string,
): Promise<HttpAnswer> {
  const confirmed = confirmedIn(query);
  const leases = door.ofDeployment(tenant, dseqOf(parts['dseq']), 'send-manifest');
  await submitManifest(actions, leases, { json: sortedManifest(body), confirmed }, signal);
  return { json: {} };
}
