import { Readable } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import { failureOf, type KubeClient, kinds } from '@quartermaster/kube';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { eventsPath, podNamesPath, podsPath } from '../../kubernetes-view.ts';
import type { AskerOf } from '../session/asker.ts';
import { readEvents } from './event-reader.ts';
import { PodReader } from './pod-reader.ts';
import { type ReadPods, scanPods } from './scan-pods.ts';

// Selectors are text: a comma or an equals sign would be another condition.
const word = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$/, 'must be a name');
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const count = (standard: number, most: number) => z.coerce.number().int().min(1).max(most).default(standard);

const podQuery = z.strictObject({
  namespace: word.optional(),
  node: word.optional(),
  phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).optional(),
  filter: z.string().max(1_000).optional(),
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
  limit: count(50, 500),
  continue: z.string().max(4_000).optional(),
});
const podNamesQuery = z.strictObject({ query: z.string().min(1).max(200), limit: count(6, 50) });
const logQuery = z.strictObject({
  container: word.optional(),
  follow: flag.optional(),
  previous: flag.optional(),
  tailLines: count(500, 10_000),
});
const eventQuery = z.strictObject({
  namespace: word.optional(),
  kind: word.optional(),
  name: word.optional(),
  type: z.enum(['Normal', 'Warning']).optional(),
  limit: count(100, 500),
});
const podName = z.object({ namespace: word, name: word });

/** Pods and Events of the cluster for those who run the installation, read with the account of the role. */
export function addKubernetesRoutes(routes: FastifyInstance, client: KubeClient, askerOf: AskerOf): void {
  const pods = new PodReader(client);
  const readPods: ReadPods = (asked) => client.list(kinds.pods, asked);
  const staff = async (...asked: Parameters<AskerOf>): Promise<AbortSignal> => {
    const asker = askerOf(...asked);
    await asker.requireClusterReader();
    return asker.signal;
  };
  routes.get(podsPath, async (request, reply) => {
    const signal = await staff(request, reply);
    return reply.header('cache-control', 'no-store').send(await explained(scanPods(readPods, queryOf(request, podQuery), signal)));
  });
  routes.get(podNamesPath, async (request, reply) => {
    const signal = await staff(request, reply);
    const { query, limit } = queryOf(request, podNamesQuery);
    return reply.header('cache-control', 'no-store').send(await explained(pods.named(query, limit, signal)));
  });
  routes.get(`${podsPath}/:namespace/:name`, async (request, reply) => {
    const signal = await staff(request, reply);
    const { namespace, name } = parsed(podName, request.params);
    return reply.header('cache-control', 'no-store').send(await explained(pods.get(namespace, name, signal)));
  });
  routes.get(`${podsPath}/:namespace/:name/log`, async (request, reply) => {
    const asker = askerOf(request, reply);
    await asker.requireLogReader();
    const signal = asker.whileLogReader();
    const { namespace, name } = parsed(podName, request.params);
    const log = await explained(pods.log(namespace, name, queryOf(request, logQuery), signal));
    request.raw.socket.setNoDelay(true);
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(Readable.from(log, { objectMode: false }));
  });
  routes.get(eventsPath, async (request, reply) => {
    const signal = await staff(request, reply);
    return reply.header('cache-control', 'no-store').send(await explained(readEvents(client, queryOf(request, eventQuery), signal)));
  });
}

const queryOf = <T>(request: FastifyRequest, schema: z.ZodType<T>): T => parsed(schema, request.query);

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new StatusError('invalid_argument', `${issue?.path.join('.') ?? 'the query'}: ${issue?.message ?? 'cannot be read'}`);
}

/** What the API server refuses the role is no right that the caller lacks: somebody has to grant it to the role. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const { kind } = failureOf(thrown) ?? {};
    if (kind !== 'forbidden' && kind !== 'unauthorized') throw thrown;
    const wayOut = 'grant the account of the console what its rbac.yaml lists';
    throw new StatusError('failed_precondition', `the API server does not let the console read this: ${wayOut}`, { cause: thrown });
  }
}
