/**
 * What `up` and the processes that it starts say to each other over the channel between them.
 *
 * `up` sends one `start` and later one `stop`. The other answers `start` with any number of `progress` and then one `ready` or
 * `failed`, and exits after `stop` or as soon as the channel is gone, which is also how it learns that `up` was killed.
 */
import { statusCodes } from '@quartermaster/kernel';
import { z } from 'zod';

export const childOrderSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), settings: z.unknown() }),
  z.object({ kind: z.literal('stop') }),
]);
export type ChildOrder = z.infer<typeof childOrderSchema>;

const readySchema = z.object({
  kind: z.literal('ready'),
  /** A few words for the person who waits: `3 nodes`. */
  summary: z.string(),
  /** Path of a kubeconfig for the API server that is now there. */
  kubeconfig: z.string(),
  /** Path of a file with what kubelets have to be known by, where whoever is ready wants to know its kubelets. */
  kubeletIdentity: z.string().optional(),
});

export const childNewsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), text: z.string() }),
  readySchema,
  z.object({ kind: z.literal('failed'), code: z.enum(statusCodes), message: z.string() }),
]);
export type ChildNews = z.infer<typeof childNewsSchema>;
export type ChildReady = z.infer<typeof readySchema>;
