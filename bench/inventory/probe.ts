import { setTimeout as pause } from 'node:timers/promises';
import { type ClientReady, type ClientRequest, type ClientWindow, type EventKind, nowMs, type PublishedEvent } from './protocol.ts';

const patienceMs = 20_000;
const pollIntervalMs = 20;

/** Measures a client in its own process: the time to the first publication, then CPU time and the delay of every event in a window. */
export class Probe {
  #waiting: [EventKind, number][] = [];
  #published: PublishedEvent[] = [];
  #cpu = process.cpuUsage();

  constructor() {
    process.on('disconnect', () => process.exit(0));
    process.on('message', (request: ClientRequest) => (request.kind === 'begin' ? this.#begin() : void this.#end(request.events)));
  }

  ready(address?: string): void {
    process.send?.({ coldSyncSeconds: performance.now() / 1000, address } satisfies ClientReady);
  }

  /** The client has taken the event in; the next publication has it. */
  event(kind: EventKind, pod: string | undefined): void {
    if (pod !== undefined) this.#waiting.push([kind, Number(pod)]);
  }

  published(): void {
    const at = nowMs();
    for (const [kind, pod] of this.#waiting) this.#published.push([kind, pod, at]);
    this.#waiting = [];
  }

  #begin(): void {
    this.#waiting = [];
    this.#published = [];
    this.#cpu = process.cpuUsage();
    process.send?.('begun');
  }

  async #end(events: number): Promise<void> {
    for (let waited = 0; this.#published.length < events && waited < patienceMs; waited += pollIntervalMs) await pause(pollIntervalMs);
    const { user, system } = process.cpuUsage(this.#cpu);
    process.send?.({
      cpuMicros: user + system,
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      published: this.#published,
    } satisfies ClientWindow);
  }
}
