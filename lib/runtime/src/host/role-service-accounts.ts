import { type AccessOptions, type AccessSettings, serviceAccountAudiences } from '@quartermaster/auth';
import { accessReviewer, recentAccess, tokenReviewer } from '@quartermaster/kube';
import type { RoleHost } from './role-host.ts';

/** How `openAccess` asks the cluster about service accounts. */
export type ServiceAccountReviews = Required<Pick<AccessOptions<AccessSettings>, 'reviewToken' | 'reviewRight'>>;

export async function openServiceAccounts(
  host: Pick<RoleHost, 'clock' | 'config' | 'prefix'> & { kubernetes(): Promise<Parameters<typeof accessReviewer>[0]> },
): Promise<ServiceAccountReviews> {
  const client = await host.kubernetes();
  const audiences = serviceAccountAudiences(host.prefix, host.config);
  return {
    reviewToken: tokenReviewer(client, host.clock, { audiences, ownAudience: `quartermaster-${host.prefix}` }),
    reviewRight: recentAccess(accessReviewer(client), host.clock),
  };
}
