import { backoffMs } from '@quartermaster/kernel';
import type { Feed, NewEvent, RawEvent } from '../bus/backend.ts';
import type { DeadLetter } from '../bus/bus.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import { laneCount, laneOf } from '../delivery/lane.ts';
import type { DeliveryVerdict } from '../delivery/verdict.ts';

interface QueuedEvent extends NewEvent {
  readonly publishedAt: Date;
  attempts: number;
}

interface Lane {
  readonly queue: QueuedEvent[];
  /** Its first event is with a member, or waits to be tried again. */
  isBusy: boolean;
}

interface Member {
  readonly run: (event: RawEvent) => Promise<DeliveryVerdict>;
  readonly running: Set<Promise<void>>;
}

/**
 * The events that one group has not acknowledged, in their lanes. Each lane gives its first event to the member with the least to do
 * and moves on when that is done or a dead letter. Without members everything waits.
 */
export class MemoryGroup {
  readonly #settings: BusSettings;
  readonly #onRoom: () => void;
  readonly #lanes: readonly Lane[] = Array.from({ length: laneCount }, () => ({ queue: [], isBusy: false }));
  readonly #deadLetters: DeadLetter[] = [];
  #members: readonly Member[] = [];
  #size = 0;

  constructor(settings: BusSettings, onRoom: () => void) {
    this.#settings = settings;
    this.#onRoom = onRoom;
  }

  /** Events that wait or are being handled. */
  get size(): number {
    return this.#size;
  }

  get deadLetters(): readonly DeadLetter[] {
    return this.#deadLetters;
  }

  add(event: NewEvent, publishedAt: Date): void {
    const lane = this.#lanes[laneOf(event)];
    if (lane === undefined) return;
    lane.queue.push({ ...event, publishedAt, attempts: 0 });
    this.#size += 1;
    this.#pump(lane);
  }

  join(run: Member['run']): Feed {
    const member: Member = { run, running: new Set() };
    this.#members = [...this.#members, member];
    for (const lane of this.#lanes) this.#pump(lane);
    return {
      close: async () => {
        this.#members = this.#members.filter((each) => each !== member);
        await Promise.all(member.running);
      },
    };
  }

  #pump(lane: Lane): void {
    const [event] = lane.queue;
    if (lane.isBusy || event === undefined) return;
    const member = this.#leastBusyMember();
    if (member === undefined) return;
    lane.isBusy = true;
    const delivery = this.#deliver(lane, event, member).finally(() => member.running.delete(delivery));
    member.running.add(delivery);
  }

  async #deliver(lane: Lane, event: QueuedEvent, member: Member): Promise<void> {
    event.attempts += 1;
    const { attempts, ...facts } = event;
    this.#conclude(lane, event, await member.run({ ...facts, attempt: attempts }));
  }

  #conclude(lane: Lane, event: QueuedEvent, verdict: DeliveryVerdict): void {
    switch (verdict.kind) {
      case 'done':
        this.#remove(lane);
        return;
      case 'dead-letter': {
        if (this.#deadLetters.length >= this.#settings.maxDeadLetters) {
          this.#retry(lane, backoffMs(event.attempts, this.#settings.retry.backoff, this.#settings.random));
          return;
        }
        const { attempts, id, key, bytes, publishedAt } = event;
        this.#deadLetters.push({ id, key, bytes, publishedAt, attempts, reason: verdict.reason });
        this.#remove(lane);
        return;
      }
      case 'again':
        this.#retry(lane, verdict.afterMs);
    }
  }

  #remove(lane: Lane): void {
    lane.queue.shift();
    this.#size -= 1;
    this.#free(lane);
    this.#onRoom();
  }

  #retry(lane: Lane, afterMs: number): void {
    if (afterMs === 0) this.#free(lane);
    else this.#settings.clock.schedule(afterMs, () => this.#free(lane));
  }

  #free(lane: Lane): void {
    lane.isBusy = false;
    this.#pump(lane);
  }

  /** Among equals the one that has been chosen least recently. */
  #leastBusyMember(): Member | undefined {
    const member = this.#members.reduce<Member | undefined>(
      (best, each) => (best === undefined || each.running.size < best.running.size ? each : best),
      undefined,
    );
    if (member !== undefined && this.#members.length > 1) this.#members = [...this.#members.filter((each) => each !== member), member];
    return member;
  }
}
