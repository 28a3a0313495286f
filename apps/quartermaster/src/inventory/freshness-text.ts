import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Completeness, LeftOut, Reason, StaleSource } from '@quartermaster/api/inventory';
import { ago } from '../text/time-text.ts';
import { unknownText } from './amount-text.ts';

type Stamp = Parameters<typeof timestampMs>[0];

/** `3h`; unknown when it never happened. */
export function ageText(at: Stamp | undefined, now: number): string {
  return at === undefined ? unknownText : ago(now - timestampMs(at));
}

/** ` for 3h`, or nothing where that is not known. */
export function sinceText({ since }: Pick<Reason, 'since'>, now: number): string {
  return since === undefined ? '' : ` for ${ago(now - timestampMs(since))}`;
}

/** A line for each source that cannot be heard right now, and for what was left out of the others. Empty when nothing is missing. */
export function staleText(completeness: Completeness | undefined, now: number): string {
  if (completeness === undefined || completeness.complete) return '';
  const lines = [...completeness.stale.map((each) => `stale: ${silentText(each, now)}`), ...completeness.leftOut.flatMap(leftOutLines)];
  return lines.length === 0 ? 'stale: the inventory does not say what it lacks\n' : lines.join('');
}

/** Of each source. */
const shownLeftOut = 10;

function leftOutLines({ source, count, named }: LeftOut): string[] {
  const shown = named.slice(0, shownLeftOut);
  const more = Number(count) - shown.length;
  const lines = shown.map(({ name, reason }) => `left out: ${source} ${name}: ${reason}\n`);
  return more > 0 ? [...lines, `left out: ${more} more of ${source}\n`] : lines;
}

/** A line about one that cannot be heard. */
export function silentText({ source, lastContactAt, reason }: StaleSource, now: number): string {
  const heard = lastContactAt === undefined ? 'never heard of' : `last heard of ${ageText(lastContactAt, now)} ago`;
  return `${source}, ${heard}${reason === '' ? '' : `: ${reason}`}\n`;
}
