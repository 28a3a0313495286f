/**
 * What `up` and the process that plays the cluster say to each other over the channel between them.
 *
 * `up` sends one `start` and later one `stop`. The other answers `start` with any number of `progress` and then one `ready` or
 * `failed`, and exits after `stop` or as soon as the channel is gone, which is also how it learns that `up` was killed.
 */
import { statusCodes } from '@quartermaster/kernel';
import { z } from 'zod';

export const clusterOrderSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    /** `simulated`: an API server and everything in it. `nodes`: simulated nodes for the API server of `kubeconfig`. */
    what: z.enum(['simulated', 'nodes']),
    scenario: z.string(),
    /** Read for `nodes`, written for `simulated`. */
    kubeconfig: z.string(),
    /** Where the simulated API server keeps its objects. */
    directory: z.string(),
    logLevel: z.enum(['debug', 'info', 'warn', 'error']),
  }),
  z.object({ kind: z.literal('stop') }),
]);
export type ClusterOrder = z.infer<typeof clusterOrderSchema>;
export type ClusterStart = Extract<ClusterOrder, { kind: 'start' }>;

export const clusterNewsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), text: z.string() }),
  z.object({ kind: z.literal('ready'), server: z.string(), nodes: z.int() }),
  z.object({ kind: z.literal('failed'), code: z.enum(statusCodes), message: z.string() }),
]);
export type ClusterNews = z.infer<typeof clusterNewsSchema>;
