import type { Bus } from '@quartermaster/bus';
import type { KubeClient } from '@quartermaster/kube';
import { SharedKey } from '@quartermaster/service';
import type { InventorySlot } from './running-inventory.ts';

/** A client for the cluster that this process works on. Whoever provided it closes it. */
export const sharedKubeClient = new SharedKey<KubeClient>('Kubernetes client');

/** The bus of this process. */
export const sharedBus = new SharedKey<Bus>('bus');

/** Where the inventory operator of this process shows up. */
export const sharedInventory = new SharedKey<InventorySlot>('inventory');
