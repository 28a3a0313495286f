import { podKey, type SearchAnswer } from '@quartermaster/api/inventory-views';
import { type PodNames, podNamesPath } from '../../kubernetes-view.ts';
import { formatInteger } from '../model/amounts.ts';
import { callApi } from './call-api.ts';

const maxHits = 6;

/** Pods whose names hold the text, and how far they were looked through. */
export async function searchPods(text: string, signal: AbortSignal): Promise<SearchAnswer> {
  const { pods, looked } = await callApi<PodNames>(podNamesPath, { query: { query: text, limit: maxHits }, signal });
  const isCut = !looked.isComplete && pods.length < maxHits;
  return {
    hits: pods.map((pod) => ({ kind: 'pod', id: podKey(pod), label: pod.name, detail: `${pod.namespace} · ${pod.phase}` })),
    searched: [isCut ? `the first ${formatInteger(looked.pods)} pods` : 'pods'],
  };
}
