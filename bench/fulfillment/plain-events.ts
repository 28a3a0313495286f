/** Events in the plain design: each notification names a row, which is read and handed to every watcher in turn. */
import { EventEmitter, on } from 'node:events';
import { create, fromBinary } from '@bufbuild/protobuf';
import { type Event, EventSchema } from '@quartermaster/api/private';
import type { Database } from '@quartermaster/store';
import { plainChannel } from './plain-hosts.ts';

const payloadStatement = { name: 'plain-payload', text: 'select payload from plain_notifications where id = $1' };

export class PlainEvents {
  readonly #news = new EventEmitter<{ event: [Event] }>().setMaxListeners(0);
  #reading: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    database.listen(plainChannel, (id) => {
      if (id === undefined) return;
      this.#reading = this.#reading.then(async () => {
        const [row] = await database.query<{ payload: Uint8Array }>(payloadStatement, [id]);
        if (row !== undefined) this.#news.emit('event', fromBinary(EventSchema, row.payload));
      });
    });
  }

  /** The first answer has an empty event, which shows that the watch has begun. */
  async *watch(signal: AbortSignal): AsyncGenerator<{ readonly event: Event }, void, undefined> {
    const events = on(this.#news, 'event', { signal }) as AsyncIterableIterator<[Event]>;
    yield { event: create(EventSchema) };
    for await (const [event] of events) yield { event };
  }
}
