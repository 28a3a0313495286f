import type { PodList } from '../../kubernetes-view.ts';
import { formatInteger } from '../model/amounts.ts';

/** `201–400 of 3 512`, and where not all pods were looked at, which of them were. */
export function rangeText({ pods, matched, looked, remaining }: PodList, offset: number, lookedBefore: number): string {
  const range =
    pods.length === 0 ? 'none' : `${formatInteger(offset + 1)}–${formatInteger(offset + pods.length)} of ${formatInteger(matched)}`;
  if (looked.isComplete) return range;
  const last = lookedBefore + looked.pods;
  const all = remaining === undefined ? '' : ` of ${formatInteger(last + remaining)}`;
  return `${range} among pods ${formatInteger(lookedBefore + 1)}–${formatInteger(last)}${all}`;
}
