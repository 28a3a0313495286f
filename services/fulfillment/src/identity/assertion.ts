import type { Host } from '@quartermaster/api/private';
import { type HostMarks, isSameMarks, listMarks, marksOf, markText } from './host-marks.ts';

/** Somebody says that a host is a machine that they have, too: a source, or another host. Kept in the table `host_claims`, which has nothing to do with ClaimHosts. */
export interface Assertion {
  /** Empty: a host that a person made. */
  readonly source: string;
  /** What the source calls the machine; of a host that a person made its id. */
  readonly sourceId: string;
  readonly hostId: string;
  /** The host that says so; empty while the source has none for the machine. */
  readonly byHost: string;
  /** Of the machine, as the asserter has it. */
  readonly marks: HostMarks;
  /** Whether the source asks for the host by its id. */
  readonly isById: boolean;
  /** In words, what makes it the same machine. */
  readonly mark: string;
}

/** The source that brought the host; empty for one that a person made. */
export const ownerOf = (host: Host): string => host.status?.source?.name ?? '';

/** Who has the machine of a host: its source, under the id that it has there; of one that a person made, the host itself. */
export function originOf(host: Host): { readonly source: string; readonly sourceId: string } {
  const source = host.status?.source;
  return source === undefined ? { source: '', sourceId: host.id } : { source: source.name, sourceId: source.id };
}

export function isSameOrigin(one: Host, other: Host): boolean {
  const [a, b] = [originOf(one), originOf(other)];
  return a.source === b.source && a.sourceId === b.sourceId;
}

/** In words, what makes the host the machine that the assertion is about; undefined when it is another one. */
export function sameBy({ marks, isById }: Pick<Assertion, 'marks' | 'isById'>, host: Host): string | undefined {
  const own = new Set(listMarks(marksOf(host.spec)).map(markText));
  return (
    listMarks(marks)
      .map(markText)
      .find((text) => own.has(text)) ?? (isById ? 'id' : undefined)
  );
}

export const assertionKey = ({ source, sourceId, hostId }: Pick<Assertion, 'source' | 'sourceId' | 'hostId'>): string =>
  JSON.stringify([source, sourceId, hostId]);

export function isSameAssertion(one: Assertion, other: Assertion): boolean {
  return one.isById === other.isById && one.byHost === other.byHost && one.mark === other.mark && isSameMarks(one.marks, other.marks);
}
