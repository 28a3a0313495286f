import type { Host } from '@quartermaster/api/private';
import { commonMark, type HostMarks, isSameMarks, marksOf } from './host-marks.ts';

/** A source says that a host which it did not bring is a machine that it has. */
export interface HostClaim {
  readonly source: string;
  /** What the source calls the machine. */
  readonly sourceId: string;
  readonly hostId: string;
  /** Of the machine, as the source has it. */
  readonly marks: HostMarks;
  /** Whether the source asks for the host by its id. */
  readonly isById: boolean;
}

/** The source that brought the host; empty for one that a person made. */
export const ownerOf = (host: Host): string => host.status?.source?.name ?? '';

/** In words, what makes the host the machine that the claim is about; undefined when it is another one. */
export function claimedBy({ marks, isById }: Pick<HostClaim, 'marks' | 'isById'>, host: Host): string | undefined {
  return commonMark(marks, marksOf(host.spec)) ?? (isById ? 'id' : undefined);
}

export const claimKey = ({ source, sourceId, hostId }: Pick<HostClaim, 'source' | 'sourceId' | 'hostId'>): string =>
  JSON.stringify([source, sourceId, hostId]);

export function isSameClaim(one: HostClaim, other: HostClaim): boolean {
  return one.isById === other.isById && isSameMarks(one.marks, other.marks);
}
