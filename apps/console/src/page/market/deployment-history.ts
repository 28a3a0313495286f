import { momentOf } from '../api/api-words.ts';
import type { BidObject, DeploymentObject, LeaseObject, OrderObject } from './market-objects.ts';
import { perMonth } from './price-words.ts';

export interface HistoryLine {
  readonly id: string;
  readonly at: number;
  readonly text: string;
}

/** What became of a deployment, the newest first, as its own objects tell it. */
export function deploymentHistory(
  deployment: DeploymentObject | undefined,
  orders: readonly OrderObject[],
  bids: readonly BidObject[],
  leases: readonly LeaseObject[],
): readonly HistoryLine[] {
  const lines: { readonly id: string; readonly at: string | undefined; readonly text: string }[] = [];
  const ended = (what: string, id: string, status: OrderObject['status'] | BidObject['status']): void => {
    if (status?.closed_at === undefined) return;
    const why = status.closed_reason === '' ? '' : `: ${status.closed_reason}`;
    lines.push({ id: `${id} ended`, at: status.closed_at, text: `${what}${why}.` });
  };
  if (deployment !== undefined) {
    const by = deployment.metadata.creators?.join(', ') ?? '';
    lines.push({
      id: 'deployment',
      at: deployment.metadata.creation_timestamp,
      text: `Deployed${by === '' ? '' : ` by ${by}`}.`,
    });
    ended('The deployment was closed', 'deployment', deployment.status);
  }
  for (const { id, metadata, spec, status } of orders) {
    lines.push({
      id: `order ${id}`,
      at: metadata.creation_timestamp,
      text: `Order ${id} of ${spec?.group_name ?? 'its group'} was opened.`,
    });
    ended(`Order ${id} was closed`, `order ${id}`, status);
  }
  for (const { id, metadata, spec, status } of bids) {
    const price = perMonth(spec?.price);
    const what = price === '' ? 'withdrew before it bid' : `bid ${price} per month`;
    lines.push({ id: `bid ${id}`, at: metadata.creation_timestamp, text: `${spec?.provider ?? id} ${what}.` });
    const end = status?.state === 'BID_STATE_LOST' ? 'was lost' : 'was closed';
    ended(`The bid of ${spec?.provider ?? id} ${end}`, `bid ${id}`, status);
  }
  for (const { id, metadata, spec, status } of leases) {
    const text = `${spec?.provider ?? id} has the lease for ${perMonth(spec?.price)} per month.`;
    lines.push({ id: `lease ${id}`, at: metadata.creation_timestamp, text });
    ended(`The lease of ${spec?.provider ?? id} ended`, `lease ${id}`, status);
  }
  return lines
    .flatMap(({ id, at, text }) => {
      const moment = momentOf(at);
      return moment === undefined ? [] : [{ id, at: moment, text }];
    })
    .toSorted((a, b) => b.at - a.at);
}
