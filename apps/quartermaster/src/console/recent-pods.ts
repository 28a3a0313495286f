import type { ConsolePod } from '@quartermaster/console';

/** The pods that changed last, newest first. Costs little with any number of pods: only about twice `limit` are held. */
export class RecentPods {
  readonly #limit: number;
  readonly #pods = new Map<string, ConsolePod>(); // namespace/name -> pod

  constructor(limit: number) {
    this.#limit = limit;
  }

  set(key: string, pod: ConsolePod): void {
    this.#pods.set(key, pod);
    if (this.#pods.size > this.#limit * 2) this.#trim();
  }

  delete(key: string): void {
    this.#pods.delete(key);
  }

  list(): readonly ConsolePod[] {
    this.#trim();
    return this.#newestFirst().map(([, pod]) => pod);
  }

  #newestFirst(): [string, ConsolePod][] {
    return [...this.#pods].toSorted(([a, { changedAt: aAt }], [b, { changedAt: bAt }]) => bAt - aAt || (a < b ? -1 : 1));
  }

  #trim(): void {
    if (this.#pods.size <= this.#limit) return;
    for (const [key] of this.#newestFirst().slice(this.#limit)) this.#pods.delete(key);
  }
}
