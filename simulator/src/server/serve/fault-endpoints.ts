import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, methodNotAllowed, noSuchResource } from '../../schema/api-status.ts';
import { answerJson } from '../answer/answers.ts';
import type { ApiContext } from '../request/api-context.ts';
import { parseFault } from '../request/faults.ts';
import { parseObject, readText } from '../request/request-body.ts';

/**
 * Faults over HTTP:
 *
 * GET    /simulator/faults             those that are set
 * POST   /simulator/faults             sets one; answers it with its id
 * DELETE /simulator/faults[/ID]        takes one away, or all
 * POST   /simulator/faults/cut-watches[?resource=pods]   breaks the connections of open watches
 * POST   /simulator/faults/compact     forgets all history: watches and pages of before get 410
 */
export async function serveFaults(
  api: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  parts: readonly string[],
  query: URLSearchParams,
): Promise<void> {
  const [what, ...more] = parts;
  if (more.length > 0) throw noSuchResource();
  switch (request.method) {
    case 'GET':
      if (what !== undefined) throw noSuchResource();
      answerJson(response, 200, { faults: api.faults.list() });
      return;
    case 'POST':
      if (what === undefined) {
        const fault = parseFault(parseObject(await readText(request), 'json'));
        answerJson(response, 201, api.faults.add(fault, api.store.revision));
        return;
      }
      act(api, what, query.get('resource') ?? undefined);
      answerJson(response, 200, { done: what });
      return;
    case 'DELETE':
      if (what === undefined) api.faults.clear();
      else if (/^\d{1,9}$/.test(what)) api.faults.remove(Number(what));
      else throw badRequest(`${JSON.stringify(what)} is not the id of a fault`);
      thaw(api);
      answerJson(response, 200, { faults: api.faults.list() });
      return;
    default:
      throw methodNotAllowed();
  }
}

function act(api: ApiContext, what: string, resource: string | undefined): void {
  if (what === 'compact') api.store.compact();
  else if (what === 'cut-watches') cutWatches(api, resource);
  else throw noSuchResource();
}

/** Breaks the connections of all watches, or of those of one kind. Tells how many there were. */
export function cutWatches(api: Pick<ApiContext, 'watches'>, resource?: string): number {
  const meant = [...api.watches].filter(([, plural]) => resource === undefined || resource === plural);
  for (const [watch] of meant) watch.cut();
  return meant.length;
}

/** What was frozen goes on with what it missed. */
export function thaw(api: Pick<ApiContext, 'watches'>): void {
  for (const watch of [...api.watches.keys()]) watch.pump();
}
