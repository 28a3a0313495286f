import type { Host } from '@quartermaster/api/private';
import { type Assertion, originOf, ownerOf } from './assertion.ts';
import { type HostMarks, listMarks, type Mark, marksOfHost, markText, mostAlike } from './host-marks.ts';

/** A host and, in words, what it has in common with something. */
export interface Alike {
  readonly host: Host;
  readonly mark: string;
}

/** Whoever has a mark, by the source that says so. */
interface Holders {
  readonly hosts: Set<string>; // ids
  readonly bySource: Map<string, Set<string>>; // source -> what it calls the machines
}

/**
 * Who has which mark: hosts, and machines that sources have and that are no hosts of theirs. Knows only what it is told, so it must be told of everybody who has one of the
 * marks that it is asked about; of those whom a mark does not identify, enough to see that.
 */
export class MachineCensus {
  readonly #hosts = new Map<string, Host>(); // id -> host
  readonly #holders = new Map<string, Holders>(); // text of a mark -> those who have it

  constructor(hosts: Iterable<Host>, assertions: Iterable<Assertion> = []) {
    for (const host of hosts) this.put(host);
    for (const { source, sourceId, byHost, marks } of assertions) if (byHost === '') this.addMachine(source, sourceId, marks);
  }

  /** In place of the host with the same id. */
  put(host: Host): void {
    this.remove(host.id);
    this.#hosts.set(host.id, host);
    const { source, sourceId } = originOf(host);
    for (const mark of marksOfHost(host)) {
      const holders = this.#holdersOf(mark);
      holders.hosts.add(host.id);
      machinesOf(holders, source).add(sourceId);
    }
  }

  remove(id: string): void {
    const host = this.#hosts.get(id);
    if (host === undefined) return;
    this.#hosts.delete(id);
    const { source, sourceId } = originOf(host);
    for (const mark of marksOfHost(host)) {
      const holders = this.#holdersOf(mark);
      holders.hosts.delete(id);
      machinesOf(holders, source).delete(sourceId);
    }
  }

  /** A machine that a source has, whether or not it is a host. */
  addMachine(source: string, sourceId: string, marks: HostMarks): void {
    for (const mark of listMarks(marks)) machinesOf(this.#holdersOf(mark), source).add(sourceId);
  }

  /** Hosts that have one of the marks, where the mark alone tells machines apart. The strongest mark of each counts. */
  withMarks(marks: readonly Mark[]): readonly Alike[] {
    const found = new Map<string, Alike>();
    for (const mark of marks.filter((each) => this.#identifies(each))) {
      for (const id of this.#holders.get(markText(mark))?.hosts ?? []) {
        const host = this.#hosts.get(id);
        if (host !== undefined && !found.has(id)) found.set(id, { host, mark: markText(mark) });
      }
    }
    return [...found.values()];
  }

  /** Other hosts that are the same machine as this one, or are in its place. */
  alikeTo(host: Host): readonly Alike[] {
    const marks = marksOfHost(host);
    const machines = this.withMarks(marks.filter(({ kind }) => kind !== 'unit'));
    const twins = marks.filter(({ kind }) => kind === 'pair').flatMap((pair) => this.#beside(host, pair));
    const places = marks.filter(({ kind }) => kind === 'unit').flatMap((unit) => this.#inPlace(host, unit));
    const alike = new Map([...places.toReversed(), ...twins, ...machines].map((each) => [each.host.id, each]));
    alike.delete(host.id);
    return [...alike.values()];
  }

  /** Of those with the pair the one before the host and the one after it: of each of very many somebody then says that it is theirs, and few assertions change with each of them. */
  #beside(host: Host, pair: Mark): readonly Alike[] {
    const ids = [...(this.#holders.get(markText(pair))?.hosts ?? [])].toSorted(byBytes);
    const own = ids.indexOf(host.id);
    return [ids[own - 1], ids[own + 1]].flatMap((id) => {
      const other = this.#hosts.get(id ?? '');
      return other === undefined ? [] : [{ host: other, mark: markText(pair) }];
    });
  }

  /** Those in a unit of the host. Two sources may mean two racks by one name: their places are not compared, and people use the names of all. */
  #inPlace(host: Host, unit: Mark): readonly Alike[] {
    const holders = this.#holders.get(markText(unit));
    if (holders === undefined) return [];
    const others = [...holders.hosts].flatMap((id) => this.#hosts.get(id) ?? []);
    return others.flatMap((other) => {
      const sources = new Set([ownerOf(host), ownerOf(other), '']);
      const there = [...sources].reduce((sum, source) => sum + (holders.bySource.get(source)?.size ?? 0), 0);
      return sources.size > 2 || there > mostAlike.unit ? [] : [{ host: other, mark: markText(unit) }];
    });
  }

  /** Hosts that have one of the marks, whether or not it tells anything: what is said of them may change with whoever else has it. */
  sharing(marks: readonly Mark[]): readonly Host[] {
    const ids = new Set(marks.flatMap((mark) => [...(this.#holders.get(markText(mark))?.hosts ?? [])]));
    return [...ids].flatMap((id) => this.#hosts.get(id) ?? []);
  }

  #identifies(mark: Mark): boolean {
    if (mark.kind === 'pair') return false;
    const most = mostAlike[mark.kind];
    const holders = this.#holders.get(markText(mark));
    if (holders === undefined || holders.hosts.size > most) return false;
    // Sources may each have the machine, but none of them has it that often.
    return [...holders.bySource.values()].every((machines) => machines.size <= most);
  }

  #holdersOf(mark: Mark): Holders {
    const text = markText(mark);
    const known = this.#holders.get(text);
    if (known !== undefined) return known;
    const holders: Holders = { hosts: new Set(), bySource: new Map() };
    this.#holders.set(text, holders);
    return holders;
  }
}

/** The order in which the database has ids. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

function machinesOf({ bySource }: Holders, source: string): Set<string> {
  const known = bySource.get(source);
  if (known !== undefined) return known;
  const machines = new Set<string>();
  bySource.set(source, machines);
  return machines;
}
