/** What a line of a log says, and when: its stamp is what follows a broken stream without losing or repeating lines. */
export interface StampedLine {
  /** As the kubelet wrote it; undefined in what is the rest of a long line. */
  readonly stamp: string | undefined;
  readonly text: string;
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

export function stampedLine(line: string): StampedLine {
  const found = stamped.exec(line);
  return found === null ? { stamp: undefined, text: line } : { stamp: found[1], text: line.slice(found[0].length) };
}

/** Whether a stamp is later than another: they have nanoseconds, which a number has not. */
export function isLater(stamp: string, than: string): boolean {
  const [ms, other] = [Date.parse(stamp), Date.parse(than)];
  return ms === other ? fraction(stamp) > fraction(than) : ms > other;
}

/** Padded, so that it compares as text. */
const fraction = (stamp: string): string => (/\.(\d+)/.exec(stamp)?.[1] ?? '').padEnd(9, '0');
