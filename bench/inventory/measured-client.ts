import { setTimeout as pause } from 'node:timers/promises';
import { Child } from './child.ts';
import { type EventWriter, eventKey, type WrittenEvents } from './event-writer.ts';
import type { ClientReady, ClientRequest, ClientWindow } from './protocol.ts';

/** What follows the first snapshot, such as publishing every node on the bus, is over by then. */
const settleSeconds = 5;
const restSeconds = 3;
/** Of Node, as the image has them; for whatever is compared with it, too. */
const nodeFlags = ['--max-semi-space-size=16'];

export type Program = './operator.ts' | './client-node.ts';

/** One window of events, seen by the client. */
export interface Measurement {
  /** From before an event was written until it was published, of each that was published. */
  readonly delaysMs: readonly number[];
  readonly isComplete: boolean;
  readonly microsPerEvent: number;
  readonly eventsPerSecond: number;
  readonly peakRssMb: number;
}

/** A client of the cluster in a process of its own, measured while a writer makes events. */
export class MeasuredClient {
  readonly coldSyncSeconds: number;
  /** Of its gRPC server; undefined where it has none. */
  readonly address: string | undefined;
  readonly #child: Child;
  #restMicrosPerSecond = 0;

  private constructor(child: Child, { coldSyncSeconds, address }: ClientReady) {
    this.#child = child;
    this.coldSyncSeconds = coldSyncSeconds;
    this.address = address;
  }

  /** Once it has published everything. */
  static async start(program: Program, kubeconfig: string): Promise<MeasuredClient> {
    const child = new Child(program, [kubeconfig], nodeFlags);
    const client = new MeasuredClient(child, await child.next<ClientReady>());
    await pause(settleSeconds * 1000);
    return client;
  }

  /** What it needs when nothing happens, which is no cost of events. */
  async rest(): Promise<void> {
    const rest = await this.#window(async () => {
      await pause(restSeconds * 1000);
      return { events: 0 };
    });
    this.#restMicrosPerSecond = rest.cpuMicros / rest.seconds;
  }

  async measure(writer: EventWriter, perSecond: number, forSeconds: number): Promise<Measurement> {
    const { work, published, cpuMicros, peakRssMb, seconds } = await this.#window(() => writer.write(perSecond, forSeconds));
    const delaysMs = delays(published, work);
    return {
      delaysMs,
      isComplete: delaysMs.length === work.events,
      microsPerEvent: (cpuMicros - this.#restMicrosPerSecond * seconds) / work.events,
      eventsPerSecond: work.events / work.seconds,
      peakRssMb,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }

  /** Has the client measure itself while events are written and until they are published. */
  async #window<W extends { readonly events: number }>(write: () => Promise<W>): Promise<ClientWindow & { work: W; seconds: number }> {
    this.#child.send({ kind: 'begin' } satisfies ClientRequest);
    await this.#child.next();
    const startedAt = performance.now();
    const work = await write();
    this.#child.send({ kind: 'end', events: work.events } satisfies ClientRequest);
    const measured = await this.#child.next<ClientWindow>();
    return { ...measured, work, seconds: (performance.now() - startedAt) / 1000 };
  }
}

function delays(published: ClientWindow['published'], { sentAtMs }: WrittenEvents): number[] {
  return published.flatMap(([kind, pod, at]) => {
    const sent = sentAtMs.get(eventKey(kind, pod));
    return sent === undefined ? [] : [at - sent];
  });
}
