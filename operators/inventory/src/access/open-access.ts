import { type Access, type AccessSettings, openAccess } from '@quartermaster/auth';
import type { Clock, Log } from '@quartermaster/kernel';
import { accessReviewer, type KubeClient, recentAccess, tokenReviewer } from '@quartermaster/kube';
import { inventoryAccess } from './access-table.ts';
import { callerRoles } from './caller-roles.ts';

const service = 'inventory';

export interface InventoryAccessOptions<Settings extends AccessSettings> {
  readonly settings: Settings;
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who may call the inventory, as its settings and the rights of service accounts in the cluster say. */
export async function openInventoryAccess<
  Settings extends AccessSettings & { readonly 'inventory-service-account-audiences': readonly string[] },
>({ settings, client, clock, log }: InventoryAccessOptions<Settings>): Promise<Access<Settings>> {
  const audiences = settings['inventory-service-account-audiences'];
  return await openAccess({
    service,
    roles: callerRoles,
    tableOf: () => inventoryAccess,
    settings,
    reviewToken: tokenReviewer(client, clock, audiences.length === 0 ? {} : { audiences }),
    reviewRight: recentAccess(accessReviewer(client), clock),
    clock,
    log,
  });
}
