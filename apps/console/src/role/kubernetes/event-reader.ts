import { type KubeClient, type KubeObject, resourceType } from '@quartermaster/kube';
import type { EventList, EventRow } from '../../kubernetes-view.ts';
import { timeOf } from './pod-view.ts';

/** The older of its two forms: the one whose lists can be selected by the object that they are about. */
interface CoreEvent extends KubeObject {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string } | undefined;
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly count?: number | undefined;
  readonly firstTimestamp?: string | undefined;
  readonly lastTimestamp?: string | undefined;
  readonly eventTime?: string | undefined;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | undefined;
  readonly reportingComponent?: string | undefined;
  readonly source?: { readonly component?: string } | undefined;
}

const events = resourceType<CoreEvent>({ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true });

export interface EventQuery {
  readonly namespace?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
}

const readAtOnce = 1_000;
/** Reading more than this for one answer is nobody's wish: the API server cannot sort. */
const mostRead = 10_000;

/** Events of Kubernetes, as the API server has them now. */
export async function readEvents(client: KubeClient, query: EventQuery, signal: AbortSignal): Promise<EventList> {
  const { namespace, limit } = query;
  const fieldSelector = selectorOf(query);
  const rows: EventRow[] = [];
  let token: string | undefined;
  do {
    const page = await client.list(events, { namespace, fieldSelector, limit: readAtOnce, continue: token, signal });
    rows.push(...page.items.map(eventRow));
    token = page.continue;
  } while (token !== undefined && rows.length < mostRead);
  const newest = rows.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, limit);
  return { events: newest, isComplete: token === undefined && rows.length <= limit };
}

function selectorOf({ kind, name, type }: EventQuery): string | undefined {
  const fields = { 'involvedObject.kind': kind, 'involvedObject.name': name, type };
  const terms = Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [`${field}=${value}`]));
  return terms.length === 0 ? undefined : terms.join(',');
}

function eventRow({ metadata, involvedObject, series, ...event }: CoreEvent): EventRow {
  return {
    type: event.type ?? '',
    reason: event.reason ?? '',
    message: event.message ?? '',
    kind: involvedObject?.kind ?? '',
    namespace: involvedObject?.namespace ?? '',
    name: involvedObject?.name ?? '',
    id: metadata?.uid ?? `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
    count: series?.count ?? event.count ?? 1,
    source: event.reportingComponent || event.source?.component || '',
    at: timeOf(series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? metadata?.creationTimestamp),
  };
}
