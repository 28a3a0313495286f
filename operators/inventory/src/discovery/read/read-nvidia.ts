import type { GpuFacts, MigFacts } from '@quartermaster/api/node-hardware';
import { type NvidiaInformation, parseNvidiaInformation, parseNvidiaVersion } from '../parse/nvidia-proc.ts';
import { gpuInterface } from '../parse/nvidia-smi.ts';
import { pciAddress } from '../parse/pci.ts';
import { nvidiaHealth } from './nvidia-health.ts';
import { type AskNvidiaTool, type NvidiaToolAnswer, type NvidiaToolFacts, nvidiaTool } from './read-nvidia-tool.ts';
import type { PciGpu } from './read-pci-gpus.ts';
import type { Readings } from './readings.ts';

const folder = '/proc/driver/nvidia';

/** NVIDIA's cards with what the driver's files and its tool say of them. */
export async function readNvidiaGpus(readings: Readings, cards: readonly PciGpu[], ask: AskNvidiaTool): Promise<readonly GpuFacts[]> {
  if (cards.length === 0) return [];
  const driverVersion = parseNvidiaVersion((await readings.text(`${folder}/version`)) ?? '');
  const listed = await readListed(readings);
  const isLoaded = driverVersion !== undefined || listed !== undefined || cards.some(({ driver }) => driver === 'nvidia');
  const tool = isLoaded ? await ask(readings) : 'absent';
  const stuck = readings.stuckTool(nvidiaTool);
  return cards.map((card) => {
    const information = listed?.get(card.address);
    const health = nvidiaHealth({ card, isLoaded, listed, information, tool, stuck });
    return { ...factsOf(card, information, tool, driverVersion), health };
  });
}

/** PCI address -> what the driver says; undefined without a driver. */
async function readListed(readings: Readings): Promise<ReadonlyMap<string, NvidiaInformation> | undefined> {
  const names = await readings.names(`${folder}/gpus`);
  if (names === undefined) return undefined;
  const listed = new Map<string, NvidiaInformation>();
  for (const name of names) {
    const address = pciAddress(name);
    const text = await readings.text(`${folder}/gpus/${name}/information`);
    if (address !== undefined && text !== undefined) listed.set(address, parseNvidiaInformation(text));
  }
  return listed;
}

function factsOf(
  card: PciGpu,
  information: NvidiaInformation | undefined,
  tool: NvidiaToolAnswer,
  loadedVersion: string | undefined,
): Omit<GpuFacts, 'health'> {
  const told = typeof tool === 'string' ? undefined : tool;
  const smi = told?.gpus.get(card.address);
  const uuid = smi?.uuid ?? information?.uuid;
  const name = smi?.name ?? information?.name;
  const driver = card.driver ?? (information === undefined ? undefined : 'nvidia');
  const isDriven = driver === 'nvidia';
  return {
    pciAddress: card.address,
    vendorId: card.vendorId,
    productId: card.productId,
    uuid,
    name,
    memoryBytes: smi?.memoryBytes,
    interface: gpuInterface(name),
    driver,
    driverVersion: isDriven ? (smi?.driverVersion ?? loadedVersion) : undefined,
    cudaVersion: isDriven ? told?.cudaVersion : undefined,
    computeCapability: smi?.computeCapability,
    numaNode: card.numaNode,
    minor: information?.minor,
    mig: told && migOf(told, card.address, uuid),
    nvlinks: uuid === undefined ? undefined : told?.nvlinks.get(uuid),
    nvlinkGroup: told?.nvlinkGroups.get(card.address),
  };
}

/** Undefined for a card that cannot be sliced, and where nobody says. */
function migOf(tool: NvidiaToolFacts, address: string, uuid: string | undefined): MigFacts | undefined {
  const enabled = tool.gpus.get(address)?.isMigEnabled;
  if (enabled === undefined) return undefined;
  const profiles = tool.profiles.get(address) ?? new Map<string, number>();
  const instances = tool.instances
    .filter(({ gpuUuid }) => gpuUuid === uuid)
    .map((instance) => ({ uuid: instance.uuid, profile: instance.profile, memoryBytes: profiles.get(instance.profile) }));
  return { enabled, instances, profiles: profiles.size === 0 ? undefined : [...profiles.keys()] };
}
