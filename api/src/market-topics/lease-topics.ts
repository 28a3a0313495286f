import { stateTopic } from '@quartermaster/kernel';
import type { LeaseAnnouncement } from './market-topics.ts';

/* What the cluster service announces of leases: no more than a reason to look, as what it announces of the market. */

/** A manifest of a lease has come and was accepted. */
export const manifestReceivedTopic = stateTopic<LeaseAnnouncement>('ManifestReceived');
/** A lease is closed, and everything of it is gone. */
export const deploymentManagerCompleteTopic = stateTopic<LeaseAnnouncement>('DeploymentManagerComplete');

export interface HostnameAnnouncement extends LeaseAnnouncement {
  readonly hostname: string;
}

/** A lease has got a hostname. */
export const hostnameReservedTopic = stateTopic<HostnameAnnouncement>('HostnameReserved');
