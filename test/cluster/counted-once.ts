import { type InventoryChange, InventoryPicture, type LeasePod, type Reservation, ReservationBook } from '@quartermaster/cluster/testing';
import { vi } from 'vitest';

/** Millicores, bytes and pods. */
interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** One unless it says so. */
  readonly pods?: number | undefined;
}

const textOf = ({ cpuMillis, memoryBytes, ephemeralBytes, pods = 1 }: Amounts): string =>
  `${cpuMillis}m, ${memoryBytes} bytes of memory, ${ephemeralBytes} of disk and ${pods} pods`;

function sum(all: Iterable<Amounts>): Amounts {
  let [cpuMillis, memoryBytes, ephemeralBytes, pods] = [0, 0, 0, 0];
  for (const each of all) {
    cpuMillis += each.cpuMillis;
    memoryBytes += each.memoryBytes;
    ephemeralBytes += each.ephemeralBytes;
    pods += each.pods ?? 1;
  }
  return { cpuMillis, memoryBytes, ephemeralBytes, pods };
}

/** Looks at the books of the replicas of this process at every generation that they take and after every change of a reservation: whether everything is counted, and once. */
export class CountedOnce {
  readonly wrong: string[] = [];
  /** How often, with at least one reservation that has pods. */
  looks = 0;
  /** Generations of the inventory that were looked at. */
  readonly generations = new Set<bigint>();
  readonly #pictures = new WeakMap<ReservationBook, InventoryPicture>();
  readonly #end: () => void;

  constructor() {
    const look = (book: ReservationBook, when: string): void => this.#look(book, when);
    const take = (book: ReservationBook, change: InventoryChange): void => this.#take(book, change);
    const { takeInventory, setReservation, removeReservation } = ReservationBook.prototype;
    const spies = [
      vi.spyOn(ReservationBook.prototype, 'takeInventory').mockImplementation(function took(this: ReservationBook, change) {
        takeInventory.call(this, change);
        take(this, change);
      }),
      vi.spyOn(ReservationBook.prototype, 'setReservation').mockImplementation(function set(this: ReservationBook, reservation) {
        setReservation.call(this, reservation);
        look(this, `after ${reservation.name} was set`);
      }),
      vi.spyOn(ReservationBook.prototype, 'removeReservation').mockImplementation(function removed(this: ReservationBook, name) {
        removeReservation.call(this, name);
        look(this, `after ${name} was removed`);
      }),
    ];
    this.#end = () => spies.forEach((spy) => spy.mockRestore());
  }

  end(): void {
    this.#end();
  }

  #take(book: ReservationBook, change: InventoryChange): void {
    const picture = this.#pictures.get(book) ?? new InventoryPicture();
    this.#pictures.set(book, picture);
    picture.take(change);
    this.generations.add(change.generation?.sequence ?? 0n);
    this.#look(book, `in generation ${change.generation?.sequence}`);
  }

  #look(book: ReservationBook, when: string): void {
    const picture = this.#pictures.get(book);
    if (picture === undefined) return;
    const pods = [...picture.pods.values()];
    for (const { facts, allocated, allocatable } of picture.nodes.values()) {
      const { name } = facts;
      // Nobody but leases has pods here.
      const told = sum(pods.filter(({ node }) => node === name));
      if (textOf(told) !== textOf(allocated)) this.wrong.push(`${when}: pods of ${name} have ${textOf(told)} of ${textOf(allocated)}`);
      const held = sum([...book.entries].flatMap(({ net }) => net.holds.nodes.get(name) ?? []));
      const room = [...book.stock.nodes].find((node) => node.name === name)?.room;
      const free = {
        cpuMillis: room?.cpu ?? 0,
        memoryBytes: room?.memory ?? 0,
        ephemeralBytes: room?.ephemeral ?? 0,
        pods: room?.pods ?? 0,
      };
      const all = sum([free, held, allocated]);
      if (textOf(all) !== textOf(allocatable))
        this.wrong.push(
          `${when}: ${name} has ${textOf(free)} free, ${textOf(held)} held, ${textOf(allocated)} allocated of ${textOf(allocatable)}`,
        );
    }
    for (const { reservation, net } of book.entries) {
      const own = pods.filter(({ namespaceUid }) => namespaceUid !== undefined && namespaceUid === reservation.leaseNamespace?.uid);
      if (own.length > 0) this.looks += 1;
      const counted = textOf(sum([...net.holds.nodes.values(), ...own]));
      const expected = textOf(dueTo(reservation, own));
      if (counted !== expected) this.wrong.push(`${when}: ${reservation.name} is counted with ${counted} instead of ${expected}`);
    }
  }
}

/** What is to be counted of a reservation whose lease has these pods: each unit as often as it was promised or as it runs, whichever is more, and whatever else runs. */
function dueTo({ plan }: Reservation, pods: readonly LeasePod[]): Amounts {
  const planned = Map.groupBy(plan.units, textOf);
  const running = Map.groupBy(pods, textOf);
  const due: Amounts[] = [];
  for (const amounts of new Set([...planned.keys(), ...running.keys()])) {
    const units = planned.get(amounts) ?? [];
    const promised = units.reduce((count, { replicas }) => count + replicas.length, 0);
    const there = running.get(amounts) ?? [];
    const [one] = [...units, ...there];
    if (one !== undefined) due.push(...Array.from({ length: Math.max(promised, there.length) }, () => one));
  }
  return sum(due);
}
