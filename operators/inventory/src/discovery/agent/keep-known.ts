import type { GpuFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import { pendingCode } from '../read/nvidia-health.ts';
import { isSameCard } from '../read/same-card.ts';
import { steadyFilesystems } from '../read/steady-filesystems.ts';
import { xidCode } from '../read/xid-quarantine.ts';

/**
 * The newer facts, completed by the older ones where the newer could not be read: a section that failed this time, and what only a tool can tell of a
 * card that is still the same. Health, problems and what was read are always the newer's, but for a health that is still being asked for: absence counts only after a
 * complete read. Both must be of one machine.
 */
export function keepKnown(older: HardwareFacts | undefined, newer: HardwareFacts): HardwareFacts {
  if (older === undefined) return newer;
  const gpus =
    newer.gpus?.map((gpu) =>
      keepKnownGpu(
        older.gpus?.find((each) => isSameCard(each, gpu)),
        gpu,
      ),
    ) ?? older.gpus;
  return {
    ...newer,
    nodeUid: newer.nodeUid ?? older.nodeUid,
    machine: newest(older.machine, newer.machine),
    cpu: newer.cpu ?? older.cpu,
    memory: newer.memory ?? older.memory,
    gpus,
    disks: newer.disks ?? older.disks,
    nics: newer.nics ?? older.nics,
    filesystems: steadyFilesystems(older.filesystems, newer.filesystems),
  };
}

/** All that either has, and of what both have the newer. */
function newest<T extends object>(older: T, newer: T): T {
  return { ...older, ...Object.fromEntries(Object.entries(newer).filter(([, value]) => value !== undefined)) };
}

function keepKnownGpu(older: GpuFacts | undefined, newer: GpuFacts): GpuFacts {
  if (older === undefined || older.driver !== newer.driver) return newer;
  const isSameDriver = newer.driverVersion === undefined || older.driverVersion === newer.driverVersion;
  // Another driver may see these differently.
  const lasting = isSameDriver ? older : { ...older, cudaVersion: undefined, mig: undefined, nvlinks: undefined, nvlinkGroup: undefined };
  return { ...newest(lasting, newer), health: keepHealth(older.health, newer.health) };
}

/** The start of an illness comes from clocks that are set now and then; it is still the same illness. */
function keepHealth(older: GpuFacts['health'], newer: GpuFacts['health']): GpuFacts['health'] {
  // What the kernel's log has against a card is looked at anew each time.
  if (newer.code === pendingCode && older.code !== xidCode) return older;
  const isSame = older.since !== undefined && newer.since !== undefined && older.code === newer.code && older.reason === newer.reason;
  return isSame && older.since !== undefined ? { ...newer, since: older.since } : newer;
}
