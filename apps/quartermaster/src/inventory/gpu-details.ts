import type { GpuDevice, Mig, Node } from '@quartermaster/api/inventory';
import { table } from '../text/table.ts';
import { unknownText } from './amount-text.ts';

/** What the cards of a node are capable of. Where nobody tells cards apart, what is known of each model. */
export function gpuDetailsText({ devices, gpus, nvlinkDomain }: Pick<Node, 'devices' | 'gpus' | 'nvlinkDomain'>): string {
  const domain = nvlinkDomain === undefined ? '' : `NVLink domain ${nvlinkDomain}: cards of other nodes in it are reached over switches.\n`;
  const isTold = devices.some(
    ({ architecture, computeCapability, nvlinks, numaNode, mig }) => architecture ?? computeCapability ?? nvlinks ?? numaNode ?? mig,
  );
  if (devices.length > 0) return isTold ? table(deviceHeader, devices.map(deviceCells)) + domain : domain;
  const models = gpus.filter(({ architecture, computeCapability, migProfiles }) => architecture ?? computeCapability ?? migProfiles[0]);
  if (models.length === 0) return domain;
  const rows = models.map(({ vendor, model, architecture, computeCapability, migProfiles }) => [
    `${vendor} ${model}`,
    architecture ?? unknownText,
    computeCapability ?? unknownText,
    migProfiles.length === 0 ? unknownText : `cut: ${migProfiles.join(' ')}`,
  ]);
  return table(['MODEL', 'ARCHITECTURE', 'COMPUTE', 'MIG'], rows) + domain;
}

const deviceHeader = ['ID', 'ARCHITECTURE', 'COMPUTE', 'NVLINKS', 'NVLINK GROUP', 'NUMA', 'MIG'];

function deviceCells(device: GpuDevice): readonly string[] {
  return [
    device.id,
    device.architecture ?? unknownText,
    device.computeCapability ?? unknownText,
    numberText(device.nvlinks),
    // Where links are counted, it is known that they lead to no other card.
    device.nvlinkGroup === undefined && device.nvlinks !== undefined ? '-' : numberText(device.nvlinkGroup),
    numberText(device.numaNode),
    migText(device.mig),
  ];
}

const numberText = (value: number | undefined): string => (value === undefined ? unknownText : String(value));

/** `cut: 3g.40gb 4g.40gb`, or `off, can be: 1g.10gb …`. */
function migText(mig: Mig | undefined): string {
  if (mig === undefined) return unknownText;
  if (mig.enabled) return mig.instances.length === 0 ? 'on, not cut' : `cut: ${mig.instances.map(({ profile }) => profile).join(' ')}`;
  return mig.profiles.length === 0 ? 'off' : `off, can be: ${mig.profiles.join(' ')}`;
}
