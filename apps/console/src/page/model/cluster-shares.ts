import type { ClusterSummary } from '@quartermaster/api/inventory-views';
import { nodesHref, quoted } from './addresses.ts';
import { nodeTone, type Tone } from './node-state.ts';

/** One segment of a bar and the list behind it. */
export interface Share {
  readonly label: string;
  readonly count: number;
  readonly tone: Tone;
  /** The view that lists exactly these. */
  readonly href: string;
}

/** Nodes by state, usable ones first. */
export function nodeShares({ nodesByState }: Pick<ClusterSummary, 'nodesByState'>): Share[] {
  return nodesByState.map(({ state, isReady, count }) => ({
    label: state,
    count,
    tone: nodeTone({ state, isReady }),
    href: nodesHref(`state:${quoted(state)}`),
  }));
}
