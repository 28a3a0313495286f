/** What one client showed. Printed by a client process as its last line. */
export interface ClientResult {
  readonly listSeconds: number;
  readonly eventsPerSecond: number;
  readonly peakRssMb: number;
  readonly longestStallMs: number;
}

/** Measures a client in its own process: the time to a full list, the rate of events, the longest stall, the peak of memory. */
export class Probe {
  readonly #server: string;
  readonly #total: number;
  readonly #startedAt: number;
  readonly #stall: { longestMs: number };
  #listSeconds = 0;
  #eventsStartedAt = 0;
  #events = 0;
  #done: () => void = () => {};

  constructor(server: string, total: number) {
    this.#server = server;
    this.#total = total;
    this.#stall = watchForStalls();
    this.#startedAt = performance.now();
  }

  /** The client holds the whole list and its watch is open or opening. Resolves after the last event. */
  async listed(): Promise<void> {
    this.#listSeconds = (performance.now() - this.#startedAt) / 1000;
    const finished = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    for (;;) {
      this.#eventsStartedAt = performance.now();
      const answer = await fetch(`${this.#server}/go`, { method: 'POST' });
      if (answer.ok) break;
    }
    await finished;
  }

  event(): void {
    this.#events += 1;
    if (this.#events === this.#total) this.#done();
  }

  print(): void {
    const result: ClientResult = {
      listSeconds: this.#listSeconds,
      eventsPerSecond: this.#events / ((performance.now() - this.#eventsStartedAt) / 1000),
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      longestStallMs: this.#stall.longestMs,
    };
    console.log(JSON.stringify(result));
  }
}

/** How late a 5 ms timer fires is how long nothing else could run. */
function watchForStalls(): { longestMs: number } {
  const stall = { longestMs: 0 };
  const intervalMs = 5;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    stall.longestMs = Math.max(stall.longestMs, now - last - intervalMs);
    last = now;
  }, intervalMs);
  return stall;
}
