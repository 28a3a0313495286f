/** Events in the plain design: each notification names a row, which is read and handed to every watcher in turn. */
import { fromBinary } from '@bufbuild/protobuf';
import { type Event, EventSchema } from '@quartermaster/api/private';
import type { Database } from '@quartermaster/store';
import { plainChannel } from './plain-hosts.ts';

const payloadStatement = { name: 'plain-payload', text: 'select payload from plain_notifications where id = $1' };

export class PlainEvents {
  readonly #watchers = new Set<(event: Event) => void>();
  #reading: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    database.listen(plainChannel, (id) => {
      if (id === undefined) return;
      this.#reading = this.#reading.then(async () => {
        const [row] = await database.query<{ payload: Uint8Array }>(payloadStatement, [id]);
        if (row === undefined) return;
        const event = fromBinary(EventSchema, row.payload);
        for (const tell of this.#watchers) tell(event);
      });
    });
  }

  async *watch(signal: AbortSignal): AsyncGenerator<{ readonly event: Event }, void, undefined> {
    const events: Event[] = [];
    let wake: () => void = () => {};
    const tell = (event: Event): void => {
      events.push(event);
      wake();
    };
    this.#watchers.add(tell);
    try {
      while (!signal.aborted) {
        for (const event of events.splice(0)) yield { event };
        if (events.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    } finally {
      this.#watchers.delete(tell);
    }
  }
}
