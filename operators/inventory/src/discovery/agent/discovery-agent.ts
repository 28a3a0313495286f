import type { DeviceHolder } from '@quartermaster/api/node-hardware';
import {
  Backoff,
  type BackoffOptions,
  type Clock,
  type Log,
  messageOf,
  pause,
  type Random,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import type { MachineReader } from '../machine/machine-reader.ts';
import type { GpuUsage } from '../parse/utilization.ts';
import { hardwareFingerprint } from './hardware-fingerprint.ts';
import { HardwareObject, type HardwareStore } from './hardware-object.ts';
import { readUsage } from './read-usage.ts';
import { ScannedMachine } from './scanned-machine.ts';

/** Asks who holds which device, normally the kubelet. Throws when it cannot be asked. */
export interface HolderSource {
  list(signal: AbortSignal): Promise<readonly DeviceHolder[]>;
}

export interface DiscoveryAgentOptions {
  readonly reader: MachineReader;
  /** The name of the node, and so of the object that is written. */
  readonly node: string;
  readonly client: HardwareStore;
  /** The UID of the Node, where somebody knows it; told with the facts. */
  readonly nodeUid?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly holders?: HolderSource | undefined;
  /** SHA-256 of the certificate with which the agent serves now; told in the object's status. */
  readonly fingerprint?: (() => string) | undefined;
  /** Where it serves; told beside the fingerprint. */
  readonly port?: (() => number) | undefined;
  readonly filesystemPaths?: readonly string[] | undefined;
  readonly kubeletPath?: string | undefined;
  readonly architecture?: string | undefined;
  /** How often to look for added and removed devices; 5 s unless given. */
  readonly pollIntervalMs?: number | undefined;
  /** How often to scan everything in any case; 2 min unless given. */
  readonly rescanIntervalMs?: number | undefined;
  /** How often to ask who holds what; 10 s unless given. */
  readonly holdersIntervalMs?: number | undefined;
  /** How long the last answer about holders counts while nobody answers; 2 min unless given. */
  readonly maxHoldersAgeMs?: number | undefined;
  readonly backoff?: BackoffOptions | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

export interface AgentStatus {
  readonly node: string;
  /** Milliseconds since the epoch. */
  readonly scannedAt?: number | undefined;
  /** When the server last agreed with what was found. */
  readonly publishedAt?: number | undefined;
  readonly scans: number;
  readonly writes: number;
  /** What is being retried, for the facts, for the holders and for the fingerprint of the certificate. */
  readonly factsError?: string | undefined;
  readonly holdersError?: string | undefined;
  readonly certificateError?: string | undefined;
}

/** How often to ask for the UID of the Node. */
const nodeUidIntervalMs = 600_000;
const defaultAgentBackoff: BackoffOptions = { firstMs: 1000, maxMs: 60_000, factor: 2 };

/**
 * Keeps the `NodeHardware` of one node equal to the machine. Three loops that never end by themselves: one scans the machine, when its fingerprint changed and
 * on a slow timer, and writes what differs from the stored object; one asks who holds the devices and writes that as status; one keeps the fingerprint of the
 * agent's certificate there. A failure is retried with growing waits and leaves what is stored as it is.
 */
export class DiscoveryAgent {
  readonly #options: DiscoveryAgentOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #object: HardwareObject;
  readonly #machine: ScannedMachine;
  /** Monotonic: of the last scan, or of the beginning. */
  #movedAt: number;
  #hasResumed = false;
  #nodeUidDueAt = 0;
  #certificateDueAt = 0;
  #status: AgentStatus;
  #usage: { readonly at: number; readonly answer: Promise<readonly GpuUsage[]>; isPending: boolean } | undefined;

  constructor(options: DiscoveryAgentOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLog;
    this.#object = new HardwareObject(options.client, options.node);
    this.#machine = new ScannedMachine({ ...options, clock: this.#clock });
    this.#movedAt = this.#clock.monotonic();
    this.#status = { node: options.node, scans: 0, writes: 0 };
  }

  get status(): AgentStatus {
    return this.#status;
  }

  /** How old the last scan is; undefined before the first. */
  get scanAgeMs(): number | undefined {
    return this.#status.scannedAt === undefined ? undefined : this.stalledMs;
  }

  /** For how long there has been no scan. */
  get stalledMs(): number {
    return this.#clock.monotonic() - this.#movedAt;
  }

  /** How busy the GPUs are, not older than 2 s, or as of the look that still goes on. Many who ask at once cause one look. */
  async usage(signal?: AbortSignal): Promise<readonly GpuUsage[]> {
    const now = this.#clock.monotonic();
    if (this.#usage === undefined || (!this.#usage.isPending && now - this.#usage.at > 2000)) {
      const look = { at: now, answer: readUsage(this.#options.reader, this.#machine.facts?.gpus ?? []), isPending: true };
      void look.answer.finally(() => {
        look.isPending = false;
      });
      this.#usage = look;
    }
    const usage = await this.#usage.answer;
    signal?.throwIfAborted();
    return usage;
  }

  /** Works until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#followHardware(signal), this.#followHolders(signal), this.#followCertificate(signal)]);
  }

  async #followHardware(signal: AbortSignal): Promise<void> {
    const { pollIntervalMs = 5000, rescanIntervalMs = 120_000, backoff = defaultAgentBackoff } = this.#options;
    const waits = new Backoff(backoff, this.#random);
    let fingerprint: string | undefined;
    let dueAt = 0;
    let isPublished = false;
    // Agents of many nodes that start together should not ask the server together for ever.
    let periodMs = rescanIntervalMs * (0.5 + this.#random.next() / 2);
    while (!signal.aborted) {
      try {
        const now = await hardwareFingerprint(this.#options.reader);
        if (now !== fingerprint || this.#machine.hasNews || this.#clock.monotonic() >= dueAt) {
          await this.#scan(signal);
          fingerprint = now;
          dueAt = this.#clock.monotonic() + periodMs;
          periodMs = rescanIntervalMs;
          isPublished = false;
        }
        if (!isPublished) await this.#publish(signal);
        isPublished = true;
        waits.reset();
        await pause(this.#clock, pollIntervalMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#status = { ...this.#status, factsError: messageOf(error) };
        this.#log.warn('hardware facts not written', { node: this.#options.node, error, failures: waits.failures + 1 });
        await pause(this.#clock, waits.nextMs(), signal);
      }
    }
  }

  async #scan(signal: AbortSignal): Promise<void> {
    await this.#machine.scan(signal);
    this.#movedAt = this.#clock.monotonic();
    this.#status = { ...this.#status, scans: this.#status.scans + 1, scannedAt: this.#clock.now() };
  }

  async #publish(signal: AbortSignal): Promise<void> {
    await this.#identify(signal);
    if (!this.#hasResumed) {
      const stored = await this.#object.read(signal);
      if (stored !== undefined) await this.#machine.resume(stored.spec, signal);
      this.#hasResumed = true;
    }
    const { facts } = this.#machine;
    if (facts === undefined) return;
    const isWritten = await this.#object.writeFacts(facts, signal);
    const writes = this.#status.writes + (isWritten ? 1 : 0);
    this.#status = { ...this.#status, factsError: undefined, writes, publishedAt: this.#clock.now() };
    if (!isWritten) return;
    // An object that was made anew has no status.
    this.#certificateDueAt = 0;
    this.#log.info('hardware facts written', { node: this.#options.node, gpus: facts.gpus?.length });
  }

  /** A Node that was created anew has another UID, whoever runs on it. */
  async #identify(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#options.nodeUid === undefined || now < this.#nodeUidDueAt) return;
    this.#machine.isOf(await this.#options.nodeUid(signal));
    this.#nodeUidDueAt = now + nodeUidIntervalMs;
  }

  async #followHolders(signal: AbortSignal): Promise<void> {
    const { holders, holdersIntervalMs = 10_000, maxHoldersAgeMs = 120_000, backoff = defaultAgentBackoff } = this.#options;
    if (holders === undefined) return;
    const waits = new Backoff(backoff, this.#random);
    let answeredAt = this.#clock.monotonic();
    while (!signal.aborted) {
      try {
        const devices = await holders.list(signal);
        answeredAt = this.#clock.monotonic();
        await this.#writeHolders(devices, signal);
        waits.reset();
        await pause(this.#clock, holdersIntervalMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#status = { ...this.#status, holdersError: messageOf(error) };
        this.#log.debug('device holders not known', { node: this.#options.node, error });
        if (this.#clock.monotonic() - answeredAt > maxHoldersAgeMs) await this.#forgetHolders(signal);
        await pause(this.#clock, waits.nextMs(), signal);
      }
    }
  }

  async #writeHolders(devices: readonly DeviceHolder[], signal: AbortSignal): Promise<void> {
    const isWritten = await this.#object.writeHolders(devices, signal);
    this.#status = { ...this.#status, holdersError: undefined, writes: this.#status.writes + (isWritten ? 1 : 0) };
  }

  /** Better to say nothing than to name holders that may be long gone. */
  async #forgetHolders(signal: AbortSignal): Promise<void> {
    try {
      await this.#object.writeHolders(undefined, signal);
    } catch (error) {
      this.#log.debug('stale device holders not cleared', { node: this.#options.node, error });
    }
  }

  async #followCertificate(signal: AbortSignal): Promise<void> {
    const { fingerprint, port, pollIntervalMs = 5000, rescanIntervalMs = 120_000, backoff = defaultAgentBackoff } = this.#options;
    if (fingerprint === undefined) return;
    const waits = new Backoff(backoff, this.#random);
    let told: string | undefined;
    while (!signal.aborted) {
      try {
        const now = fingerprint();
        if (now !== told || this.#clock.monotonic() >= this.#certificateDueAt) {
          this.#certificateDueAt = this.#clock.monotonic() + rescanIntervalMs;
          const isWritten = await this.#object.writeServing({ certificateFingerprint: now, agentPort: port?.() }, signal);
          this.#status = { ...this.#status, certificateError: undefined, writes: this.#status.writes + (isWritten ? 1 : 0) };
          told = now;
        }
        waits.reset();
        await pause(this.#clock, pollIntervalMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        told = undefined;
        this.#status = { ...this.#status, certificateError: messageOf(error) };
        this.#log.debug('fingerprint of the certificate not written', { node: this.#options.node, error });
        await pause(this.#clock, waits.nextMs(), signal);
      }
    }
  }
}
