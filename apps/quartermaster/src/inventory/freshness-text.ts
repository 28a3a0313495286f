import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Completeness, Reason, StaleSource } from '@quartermaster/api/inventory';
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

/** A line for each source that cannot be heard right now. Empty when all of them can. */
export function staleText(completeness: Completeness | undefined, now: number): string {
  if (completeness === undefined || completeness.complete) return '';
  const lines = completeness.stale.map((each) => `stale: ${silentText(each, now)}`);
  return lines.length === 0 ? 'stale: the inventory does not say what it lacks\n' : lines.join('');
}

/** A line about one that cannot be heard. */
export function silentText({ source, lastContactAt, reason }: StaleSource, now: number): string {
  const heard = lastContactAt === undefined ? 'never heard of' : `last heard of ${ageText(lastContactAt, now)} ago`;
  return `${source}, ${heard}${reason === '' ? '' : `: ${reason}`}\n`;
}
