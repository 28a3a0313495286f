import { type ListedInstance, parseGpuList, parseMigProfiles } from '../parse/nvidia-mig.ts';
import {
  gpuQueryFields,
  parseCudaVersion,
  parseGpuQuery,
  parseLostGpus,
  parseNvlinkStatus,
  type SmiGpu,
  smiGpu,
  unknownField,
} from '../parse/nvidia-smi.ts';
import { parseNvlinkGroups } from '../parse/nvidia-topology.ts';
import type { Readings } from './readings.ts';

/** What nvidia-smi says of all cards. */
export interface NvidiaToolFacts {
  readonly gpus: ReadonlyMap<string, SmiGpu>; // PCI address -> card
  readonly lost: ReadonlyMap<string, string>; // PCI address -> complaint
  readonly cudaVersion?: string | undefined;
  readonly nvlinks: ReadonlyMap<string, number>; // UUID -> links
  readonly nvlinkGroups: ReadonlyMap<string, number>; // PCI address -> group
  readonly instances: readonly ListedInstance[];
  readonly profiles: ReadonlyMap<string, ReadonlyMap<string, number>>; // PCI address -> profile -> bytes
}

export const nvidiaTool = 'nvidia-smi';
const tool = nvidiaTool;

/** `absent`: the machine has no such tool. `failed`: it has one that gave no answer; a problem line says why. `late`: it is still being asked. */
export type NvidiaToolAnswer = NvidiaToolFacts | 'absent' | 'failed' | 'late';

export type AskNvidiaTool = (readings: Readings) => Promise<NvidiaToolAnswer>;

export async function readNvidiaTool(readings: Readings): Promise<NvidiaToolAnswer> {
  if (!readings.canRunTools) return 'absent';
  const header = await readings.tool(tool, []);
  if (header === 'failed') return 'failed';
  if (header === 'absent') {
    readings.problem(`${tool} was not found: memory, CUDA version and health of NVIDIA GPUs are unknown`);
    return 'absent';
  }
  const lost = new Map(parseLostGpus(`${header.stdout}\n${header.stderr}`));
  const gpus = await queryGpus(readings, lost);
  if (gpus === undefined) return 'failed';
  const listed = [...gpus.values()];
  const nvlinks = parseNvlinkStatus(await readings.toolText(tool, ['nvlink', '--status']));
  return {
    gpus,
    lost,
    cudaVersion: parseCudaVersion(header.stdout),
    nvlinks,
    nvlinkGroups: nvlinks.size > 1 ? await readNvlinkGroups(readings, listed) : new Map(),
    instances: listed.some(({ isMigEnabled }) => isMigEnabled) ? parseGpuList(await readings.toolText(tool, ['-L'])) : [],
    profiles: listed.some(({ isMigEnabled }) => isMigEnabled !== undefined) ? await readProfiles(readings, listed) : new Map(),
  };
}

/** Leaves out what this driver does not know, one refusal after the other. */
async function queryGpus(readings: Readings, lost: Map<string, string>): Promise<ReadonlyMap<string, SmiGpu> | undefined> {
  let fields = gpuQueryFields;
  for (;;) {
    const result = await readings.tool(tool, [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits']);
    if (typeof result === 'string') return undefined;
    const said = `${result.stdout}\n${result.stderr}`;
    for (const [address, complaint] of parseLostGpus(said)) lost.set(address, complaint);
    const refused = result.status === 0 ? undefined : unknownField(said);
    const fewer = fields.filter((field) => field !== refused);
    if (fewer.length < fields.length) {
      fields = fewer;
      continue;
    }
    const gpus = parseGpuQuery(result.stdout, fields).flatMap((line) => smiGpu(line) ?? []);
    if (result.status === 0 || gpus.length > 0 || lost.size > 0) return new Map(gpus.map((gpu) => [gpu.pciAddress, gpu]));
    readings.problem(`${tool} ended with ${result.status ?? 'a signal'}: ${said}`);
    return undefined;
  }
}

async function readNvlinkGroups(readings: Readings, listed: readonly SmiGpu[]): Promise<NvidiaToolFacts['nvlinkGroups']> {
  const groups = parseNvlinkGroups(await readings.toolText(tool, ['topo', '-m']));
  return new Map(
    [...groups].flatMap(([index, group]) => (listed[index] === undefined ? [] : [[listed[index].pciAddress, group] as const])),
  );
}

async function readProfiles(readings: Readings, listed: readonly SmiGpu[]): Promise<NvidiaToolFacts['profiles']> {
  const table = parseMigProfiles(await readings.toolText(tool, ['mig', '-lgip']));
  const profiles = new Map<string, Map<string, number>>();
  for (const { gpu, profile, memoryBytes } of table) {
    const address = listed[gpu]?.pciAddress;
    if (address === undefined) continue;
    const known = profiles.get(address) ?? new Map<string, number>();
    profiles.set(address, known.set(profile, memoryBytes));
  }
  return profiles;
}
