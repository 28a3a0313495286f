import type { StreamReader } from './use-followed-stream.ts';

interface KubeEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly reportingController: string;
  readonly object: { readonly kind: string; readonly name: string };
}

export interface EventRow {
  readonly key: string;
  readonly event: KubeEvent;
  /** How often it came since the stream began. */
  readonly times: number;
}

const mostRows = 500;
const none: readonly EventRow[] = [];

/** What was told since the stream began, the newest first: a stream that begins again tells everything again. */
export class EventTable implements StreamReader {
  #rows = none;
  #isNew = false;
  readonly #listeners = new Set<() => void>();

  readonly current = (): readonly EventRow[] => this.#rows;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** What is known stays until there is something newer. */
  opened(): void {
    this.#isNew = true;
  }

  take(frames: readonly string[]): void {
    let rows = this.#isNew ? none : this.#rows;
    this.#isNew = false;
    for (const key of frames) {
      const before = rows.find((row) => row.key === key);
      const event = before?.event ?? eventIn(key);
      rows = [{ key, event, times: (before?.times ?? 0) + 1 }, ...rows.filter((row) => row !== before)].slice(0, mostRows);
    }
    this.#rows = rows;
    for (const changed of this.#listeners) changed();
  }
}

function eventIn(frame: string): KubeEvent {
  const { object = {}, ...event } = JSON.parse(frame) as Partial<Omit<KubeEvent, 'object'>> & {
    readonly object?: Partial<KubeEvent['object']>;
  };
  const nothing = { type: '', reason: '', note: '', reportingController: '' };
  return { ...nothing, ...event, object: { kind: '', name: '', ...object } };
}
