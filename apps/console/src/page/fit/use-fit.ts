import type { ExplainFitResponseJson, ResourceRequestJson } from '@quartermaster/api/cluster';
import { useTyped } from '../pods/use-pods.ts';
import { type Polled, usePolled } from '../upstreams/use-cluster-service.ts';

/** So many nodes of a group are named; there may be thousands. */
export const namedNodes = 12;

/** Asks the cluster service what it would do, once nobody has typed for a moment, and again while it is in sight. */
export function useFit(request: ResourceRequestJson | undefined): Polled<ExplainFitResponseJson> {
  const newest = request === undefined ? '' : JSON.stringify(request);
  const text = useTyped(newest);
  const body: unknown = text === '' ? undefined : { request: JSON.parse(text) as unknown, namedNodes };
  const answer = usePolled<ExplainFitResponseJson>('/fit:explain', { call: { method: 'POST', body }, isWanted: text !== '' });
  return { ...answer, isCurrent: answer.isCurrent && text === newest };
}
