import { ProviderRPC } from '@quartermaster/api/akash-provider';
import { StatusError } from '@quartermaster/kernel';
import { type Authenticate, anonymous, type Identity } from '@quartermaster/rpc';
import { identityOf } from '../serve/gateway-server.ts';
import type { IdentifyTenant } from '../who/identify-tenant.ts';
import type { Tenant } from '../who/tenant.ts';

/** An identity that the gateway made. */
interface TenantIdentity extends Identity {
  readonly tenant: Tenant;
}

/** What anybody may ask. */
const isPublic = (method: string): boolean => method.startsWith(`/${ProviderRPC.typeName}/`) || method === '/grpc.health.v1.Health/Check';

/** Says who calls by gRPC. What anybody may ask is answered without looking at what is shown. */
export const authenticateTenants =
  (identify: IdentifyTenant): Authenticate =>
  async ({ method, authorization, ownCertificate: certificate, known }) => {
    if (isPublic(method)) return anonymous;
    const tenant = await identify({ authorization, certificate });
    const identity: TenantIdentity = { ...identityOf(tenant), tenant };
    known?.(identity);
    return identity;
  };

export function tenantIn(identity: Identity): Tenant {
  if ('tenant' in identity) return (identity as TenantIdentity).tenant;
  throw new StatusError('unauthenticated', 'not authenticated: send a token, or show a client certificate');
}
