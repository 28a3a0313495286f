import { readFile } from 'node:fs/promises';
import { percentile } from '../fulfillment/load.ts';
import { Child } from '../inventory/child.ts';
import {
  type Deployed,
  type GatewayReady,
  type GatewayRequest,
  type Heard,
  linesPerSecond,
  longLineLength,
  longLines,
  type Memory,
  type Read,
  type SiteReady,
  type TenantRequest,
} from './protocol.ts';
import { statusTimes } from './status-times.ts';

export interface SideOptions {
  readonly name: string;
  readonly program: './ours.ts' | './plain.ts';
  readonly site: SiteReady;
  readonly deployed: Deployed;
  readonly tenants: Child;
  readonly logs: number;
  readonly shells: number;
}

export interface Streaming {
  readonly kibPerStream: number;
  readonly p99Ms: number;
  /** Before the streams were there. */
  readonly p99IdleMs: number;
}

export interface Gigabyte {
  /** The most that the process had meanwhile, beyond what it had before. */
  readonly growthMb: number;
  readonly mbPerSecond: number;
}

const [warmUpSeconds, idleSeconds, streamingSeconds] = [1, 4, 8];
const warmUpStreams = 10;
/** Of the lines that pods write meanwhile. */
const leastShare = 0.8;

/** A gateway in a process of its own, started anew for each measurement: what another one has left in its memory would hide what this one needs. */
export class Side {
  readonly #options: SideOptions;

  constructor(options: SideOptions) {
    this.#options = options;
  }

  async streaming(): Promise<Streaming> {
    const { site, deployed, logs, shells } = this.#options;
    await using gateway = this.#start();
    const { address } = await gateway.next<GatewayReady>();
    const [lease] = deployed.leases;
    if (lease === undefined) throw new Error('there are no leases');
    const asked = { address, ca: await readFile(site.certFile, 'utf8'), lease };
    await this.#tenants({ kind: 'open', address, logs: warmUpStreams, shells: warmUpStreams });
    await statusTimes(asked, warmUpSeconds);
    await this.#tenants<Heard>({ kind: 'close' });
    const idle = percentile(await statusTimes(asked, idleSeconds), 0.99);
    const before = await memoryOf(gateway, 'collect');
    await this.#tenants({ kind: 'open', address, logs, shells });
    const p99Ms = percentile(await statusTimes(asked, streamingSeconds), 0.99);
    const kibPerStream = ((await memoryOf(gateway, 'collect')) - before) / 1024 / (logs + shells);
    const { messages } = await this.#tenants<Heard>({ kind: 'close' });
    const least = leastShare * logs * linesPerSecond * streamingSeconds;
    if (messages < least)
      throw new Error(`only ${messages} messages came of at least ${least}: this is not the work that is to be measured`);
    this.#tell(`${kibPerStream.toFixed(0)} KiB a stream, p99 ${p99Ms.toFixed(1)} ms, idle ${idle.toFixed(1)} ms, ${messages} messages`);
    return { kibPerStream, p99Ms, p99IdleMs: idle };
  }

  async gigabyte(): Promise<Gigabyte> {
    await using gateway = this.#start();
    const { address } = await gateway.next<GatewayReady>();
    const before = await memoryOf(gateway, 'observe');
    const { bytes, bytesPerSecond } = await this.#tenants<Read>({ kind: 'read', address });
    const growthMb = ((await memoryOf(gateway, 'peak')) - before) / 1e6;
    if (bytes < longLines * longLineLength) throw new Error(`of the gigabyte, ${bytes} bytes arrived`);
    const mbPerSecond = bytesPerSecond / 1e6;
    this.#tell(`a gigabyte at ${mbPerSecond.toFixed(0)} MB/s, ${growthMb.toFixed(0)} MB more memory at most`);
    return { growthMb, mbPerSecond };
  }

  #start(): Child {
    const { program, site } = this.#options;
    return new Child(`../gateway/${program}`, [JSON.stringify(site)], ['--expose-gc']);
  }

  async #tenants<T>(request: TenantRequest): Promise<T> {
    const { tenants } = this.#options;
    tenants.send(request);
    return await tenants.next<T>();
  }

  #tell(what: string): void {
    console.error(`${this.#options.name}: ${what}`);
  }
}

async function memoryOf(gateway: Child, kind: GatewayRequest['kind']): Promise<number> {
  gateway.send({ kind } satisfies GatewayRequest);
  return (await gateway.next<Memory>()).rssBytes;
}
