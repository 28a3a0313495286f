import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { ago } from '../text/time-text.ts';

/** `in 4m`; `due` for what should have been. */
export function untilText(at: Timestamp, now: number): string {
  const leftMs = timestampMs(at) - now;
  return leftMs <= 0 ? 'due' : `in ${ago(leftMs)}`;
}
