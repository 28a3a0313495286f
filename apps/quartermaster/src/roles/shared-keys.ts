import type { Bus } from '@quartermaster/bus';
import type { KubeClient } from '@quartermaster/kube';
import { SharedKey } from '@quartermaster/service';
import type { RunningFulfillment } from './running-fulfillment.ts';
import type { RunningInventory } from './running-inventory.ts';
import type { Slot } from './slot.ts';

/** A client for the cluster that this process works on. Whoever provided it closes it. */
export const sharedKubeClient = new SharedKey<KubeClient>('Kubernetes client');

/** The bus of this process. */
export const sharedBus = new SharedKey<Bus>('bus');

/** Where the inventory operator of this process shows up. */
export const sharedInventory = new SharedKey<Slot<RunningInventory>>('inventory');

/** Where the fulfillment service of this process shows up. */
export const sharedFulfillment = new SharedKey<Slot<RunningFulfillment>>('fulfillment');
