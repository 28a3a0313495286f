import type { OverviewCluster } from '../../topics/overview-topic.ts';
import { nodesHref, podsHref, quoted } from './addresses.ts';
import { nodeTone, podTone, type Tone } from './node-state.ts';

/** One segment of a bar and the list behind it. */
export interface Share {
  readonly label: string;
  readonly count: number;
  readonly tone: Tone;
  /** The view that lists exactly these. */
  readonly href: string;
}

const phaseOrder = ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'];

/** Nodes by state, usable ones first. */
export function nodeShares({ nodesByState }: Pick<OverviewCluster, 'nodesByState'>): Share[] {
  return nodesByState.map(({ state, isReady, count }) => ({
    label: state,
    count,
    tone: nodeTone({ state, isReady }),
    href: nodesHref(`state:${quoted(state)}`),
  }));
}

/** Pods by phase, in the order in which a pod lives; phases without pods are left out. */
export function podShares({ podsByPhase }: Pick<OverviewCluster, 'podsByPhase'>): Share[] {
  const rank = (phase: string): number => (phaseOrder.includes(phase) ? phaseOrder.indexOf(phase) : phaseOrder.length);
  return Object.entries(podsByPhase)
    .filter(([, count]) => count > 0)
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([phase, count]) => ({ label: phase, count, tone: podTone(phase), href: podsHref(phase) }));
}
