import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';

/** Of a wall clock, in milliseconds. What was counted back by another clock may have fractions of one. */
export const momentMessage = (at: number | undefined): Timestamp | undefined =>
  at === undefined ? undefined : timestampFromMs(Math.floor(at));
