import type { HealthState } from './health.ts';

/** One word, for callers that are not known: kubelets have no credentials, and reasons name objects. */
export function probeAnswer(state: HealthState): { readonly status: number; readonly contentType: string; readonly text: string } {
  return { status: state === 'failed' ? 503 : 200, contentType: 'text/plain; charset=utf-8', text: `${state}\n` };
}
