import { messageOf, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { FuseState } from './removal-fuse.ts';

const objects = z.array(z.object({ name: z.string(), uid: z.string() })).readonly();
const time = z.number().int();
const schema = z.object({
  removals: z.array(z.object({ at: time, count: z.number().int().positive() })).readonly(),
  waiting: z.object({ id: z.string(), since: time, reason: z.string(), objects, more: z.number().int().nonnegative() }).optional(),
  approval: z.object({ id: z.string(), by: z.string(), at: time, objects }).optional(),
});

export const fuseStateText = (state: FuseState): string => JSON.stringify(state);

/** Throws when it is not what `fuseStateText` made: what waits is unknown then, which is not the same as nothing. */
export function parseFuseState(text: string, where: string): FuseState {
  try {
    return schema.parse(JSON.parse(text));
  } catch (thrown) {
    throw new StatusError(
      'failed_precondition',
      `${where} is damaged, and nothing is removed until it is repaired or deleted: ${messageOf(thrown)}`,
    );
  }
}
