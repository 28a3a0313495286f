import type { ManifestService } from '@quartermaster/api/lease-manifest';
import type { LeaseContent } from './desired.ts';
import { plannedUnit, type ServiceCards } from './planned-service.ts';
import { volumeBytes } from './volumes.ts';

/** What one pod takes, in millicores, bytes and cards. Requests are what is reserved for it; limits are what was ordered. */
interface PodResources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
}

/**
 * What a container may write where no ephemeral storage was ordered: its log, of which the kubelet keeps 50 MiB by default, and little beside it. Without a limit it could fill
 * the disk of the node for everybody, as it still can below a VOLUME of its image, which no kubelet counts. It is a limit alone: requests are what the plan has reserved, 0 here, and only they are counted as sold, by the ledger and by the scheduler.
 */
const unorderedBytes = 64 * 2 ** 20;

/** RAM volumes are in both: the scheduler does not see them otherwise. */
export function podResources(content: LeaseContent, service: ManifestService): PodResources {
  const { cpuMillis, memoryBytes, ephemeralBytes } = plannedUnit(content, service);
  const ordered = service.resources;
  return {
    requests: { cpuMillis, memoryBytes, ephemeralBytes },
    limits: {
      cpuMillis: ordered.cpuMillis,
      memoryBytes: ordered.memoryBytes + volumeBytes(service, 'ram'),
      ephemeralBytes: volumeBytes(service, 'ephemeral') || unorderedBytes,
    },
  };
}

/** Cards of a device plugin, by the name of its resource; none where a claim stands for them. */
export const countedCards = (cards: ServiceCards | undefined): readonly (readonly [string, number])[] =>
  cards === undefined || cards.isClaimed ? [] : [[cards.resource, cards.count]];
