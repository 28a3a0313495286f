import { kernelLogPath, type MachineReader } from '../machine/machine-reader.ts';
import { xidDigest } from '../parse/nvidia-xid.ts';

/** Folders whose entries come and go with hardware and its drivers. */
const watched = [
  '/sys/bus/pci/devices',
  '/sys/bus/pci/drivers/nvidia',
  '/sys/bus/pci/drivers/amdgpu',
  '/sys/bus/pci/drivers/vfio-pci',
  '/proc/driver/nvidia/gpus',
  '/sys/block',
  '/sys/class/net',
  '/sys/class/infiniband',
];

/** Ends of pods and the like come and go all day. */
const passing = /^(veth|cali|lxc|cilium|tap|tun|flannel|cni|docker|br-|vnet|nodelocaldns|kube-)|^(loop|dm-|zram|nbd|rbd)\d/;

/**
 * A text that differs when a device or a driver was added or removed, or a card reported that it is ill or was called fit. Cheap: a few listings and what is new in the
 * kernel's log. The kernel does not notify about changes
 * in /sys and /proc, so this is what is polled between two scans.
 */
export async function hardwareFingerprint(reader: MachineReader): Promise<string> {
  const parts = await Promise.all(
    watched.map(async (folder) => {
      try {
        const names = await reader.readDirectory(folder);
        return names
          .filter((name) => !passing.test(name))
          .toSorted()
          .join(' ');
      } catch {
        return '-';
      }
    }),
  );
  return [...parts, await xidsOf(reader)].join('\n');
}

async function xidsOf(reader: MachineReader): Promise<string> {
  try {
    return xidDigest(await reader.readFile(kernelLogPath));
  } catch {
    return '-';
  }
}
