import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { type Clock, messageOf, systemClock } from '@quartermaster/kernel';
import type { MachineReader } from '../machine/machine-reader.ts';
import { readCpu } from './read-cpu.ts';
import { readDisks } from './read-disks.ts';
import { readFilesystems } from './read-filesystems.ts';
import { readGpus } from './read-gpus.ts';
import { readIdentity } from './read-identity.ts';
import { readMemory } from './read-memory.ts';
import { readNics } from './read-nics.ts';
import { type AskNvidiaTool, readNvidiaTool } from './read-nvidia-tool.ts';
import { Readings } from './readings.ts';
import { quarantineByXids } from './xid-quarantine.ts';

export interface DiscoverOptions {
  readonly agentVersion: string;
  /** Folders of node-local storage classes. */
  readonly filesystemPaths?: readonly string[] | undefined;
  /** Where the kubelet keeps pods' ephemeral storage. */
  readonly kubeletPath?: string | undefined;
  /** As Kubernetes names it, for processors that do not say: amd64, arm64. */
  readonly architecture?: string | undefined;
  /** What was found on this very machine before. What it holds against a card still counts, and filesystems that cannot be measured now. */
  readonly known?: HardwareFacts | undefined;
  /** How the driver's tool is asked; once, however long that takes, unless given. */
  readonly askNvidiaTool?: AskNvidiaTool | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the machine is made of. Never throws, however odd the machine, except when the signal aborts; what cannot be read is a line in `problems`. */
export async function discoverHardware(reader: MachineReader, options: DiscoverOptions): Promise<HardwareFacts> {
  const readings = new Readings(reader, options.signal);
  const part = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      options.signal?.throwIfAborted();
      readings.problem(`${what} could not be read: ${messageOf(error)}`);
      return undefined;
    }
  };
  const machine = await part('the identity', async () => await readIdentity(readings));
  const cpu = await part('the processors', async () => await readCpu(readings, options.architecture));
  const memory = await part('the memory', async () => await readMemory(readings));
  const gpus = await part('the GPUs', async () => {
    const cards = await readGpus(readings, options.askNvidiaTool ?? readNvidiaTool);
    return cards && (await quarantineByXids(readings, cards, options.known?.gpus));
  });
  const disks = await part('the disks', async () => await readDisks(readings));
  const nics = await part('the network cards', async () => await readNics(readings));
  const folders = { paths: options.filesystemPaths ?? [], kubeletPath: options.kubeletPath };
  const filesystems = await part('the filesystems', async () => await readFilesystems(readings, folders, options.known?.filesystems));
  const { problems } = readings;
  return {
    observedAt: new Date((options.clock ?? systemClock).now()).toISOString(),
    agentVersion: options.agentVersion,
    machine: machine ?? {},
    cpu,
    memory,
    gpus,
    disks,
    nics,
    filesystems,
    problems: problems.length === 0 ? undefined : problems,
  };
}
