import type { ClusterSummary } from '@quartermaster/api/inventory-views';
import type { Tone } from '@quartermaster/api/states';
import { nodesHref, quoted } from './addresses.ts';

/** One segment of a bar and the list behind it. */
export interface Share {
  readonly label: string;
  readonly count: number;
  readonly tone: Tone;
  /** The view that lists exactly these. */
  readonly href: string;
}

/** Nodes by state, sellable ones first. */
export function nodeShares({ nodesByState }: Pick<ClusterSummary, 'nodesByState'>): Share[] {
  return nodesByState.map(({ state, tone, count }) => ({
    label: state,
    count,
    tone,
    href: nodesHref(`state:${quoted(state)}`),
  }));
}
