import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Removal, RemovalState } from '@quartermaster/api/removals';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';

const maxNames = 10;

/** What waits and what was approved, and the command that a person needs next. */
export function removalsText(removals: readonly Removal[], now: number): string {
  if (removals.length === 0) return 'No removal waits for a person.\n';
  const rows = removals.map((removal) => {
    const isWaiting = removal.state === RemovalState.WAITING;
    const at = isWaiting ? removal.since : removal.approvedAt;
    const age = at === undefined ? '' : ago(now - timestampMs(at));
    return [
      removal.id,
      isWaiting ? 'waiting' : `approved by ${removal.approvedBy}`,
      age,
      String(removal.names.length + removal.more),
      removal.what,
    ];
  });
  const waiting = removals.filter(({ state }) => state === RemovalState.WAITING);
  const notes = waiting.map(
    (removal) =>
      `\n${removal.id}: ${removal.reason}.\n  ${namesText(removal)}\n  If they are not coming back: quartermaster removals approve ${removal.id}\n`,
  );
  return [table(['ID', 'STATE', 'AGE', 'OBJECTS', 'WHAT'], rows), ...notes].join('');
}

/** Some of the names, and how many there are besides. */
export function namesText({ names, more }: Removal): string {
  const shown = names.slice(0, maxNames);
  const rest = names.length - shown.length;
  const inBatch = rest === 0 ? '' : ` and ${rest} more (--json lists all)`;
  return `${shown.join(', ')}${inBatch}${more === 0 ? '' : `; ${more} others wait for the next batch`}`;
}
