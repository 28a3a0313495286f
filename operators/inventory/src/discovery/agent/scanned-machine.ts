import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import type { Clock } from '@quartermaster/kernel';
import type { MachineReader } from '../machine/machine-reader.ts';
import { discoverHardware } from '../read/discover-hardware.ts';
import { NvidiaToolWatch } from '../read/nvidia-tool-watch.ts';
import { readFilesystems, uncountedYet } from '../read/read-filesystems.ts';
import { Readings } from '../read/readings.ts';
import { quarantineByXids } from '../read/xid-quarantine.ts';
import { agentVersion } from './agent-version.ts';
import { keepKnown } from './keep-known.ts';
import { isSameMachine } from './same-machine.ts';

export interface ScannedMachineOptions {
  readonly reader: MachineReader;
  readonly filesystemPaths?: readonly string[] | undefined;
  readonly kubeletPath?: string | undefined;
  readonly architecture?: string | undefined;
  readonly clock: Clock;
}

/** No part of a scan waits longer for nvidia-smi. */
const toolPatienceMs = 10_000;

/** What is known of the machine from all scans so far, and from those of an earlier agent. */
export class ScannedMachine {
  readonly #options: ScannedMachineOptions;
  readonly #tool: NvidiaToolWatch;
  #facts: HardwareFacts | undefined;

  constructor(options: ScannedMachineOptions) {
    this.#options = options;
    this.#tool = new NvidiaToolWatch({ ...options, patienceMs: toolPatienceMs });
  }

  /** Undefined before the first scan. */
  get facts(): HardwareFacts | undefined {
    return this.#facts;
  }

  /** Something was found out that the last scan could not wait for. */
  get hasNews(): boolean {
    return this.#tool.hasNews;
  }

  async scan(signal: AbortSignal): Promise<void> {
    const { reader, filesystemPaths, kubeletPath, architecture, clock } = this.#options;
    const askNvidiaTool = (readings: Readings) => this.#tool.read(readings, signal);
    const options = { agentVersion, filesystemPaths, kubeletPath, architecture, known: this.#facts, askNvidiaTool, clock, signal };
    this.#facts = keepKnown(this.#facts, await discoverHardware(reader, options));
  }

  /** Goes on from what an earlier agent stored, if that was on this machine. */
  async resume(stored: HardwareFacts, signal: AbortSignal): Promise<void> {
    if (this.#facts === undefined || !isSameMachine(stored, this.#facts)) return;
    const { reader, filesystemPaths = [], kubeletPath } = this.#options;
    const readings = new Readings(reader, signal);
    const filesystems = await readFilesystems(readings, { paths: filesystemPaths, kubeletPath }, stored.filesystems);
    const kept = keepKnown(stored, { ...this.#facts, filesystems });
    const gpus = kept.gpus && (await quarantineByXids(readings, kept.gpus, stored.gpus));
    // The scan did not know these figures.
    const counted = (filesystems ?? []).filter(({ folderBytes }) => folderBytes !== undefined).map(({ path }) => uncountedYet(path));
    const problems = this.#facts.problems?.filter((problem) => !counted.includes(problem)) ?? [];
    this.#facts = { ...kept, nodeUid: this.#facts.nodeUid, gpus, problems: problems.length === 0 ? undefined : problems };
  }

  /** The Node to which the machine belongs, where that is known. */
  isOf(nodeUid: string | undefined): void {
    if (this.#facts !== undefined && nodeUid !== this.#facts.nodeUid) this.#facts = { ...this.#facts, nodeUid };
  }
}
