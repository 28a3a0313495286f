import type { Oracle, PodAnswer } from '../../kube/vectors/oracle.ts';
import { type CorpusPod, isTerminal, nothing } from './corpus-pod.ts';

/** What the scheduler counts on the node of each pod: it forgets pods that have ended. */
export function countedBy(oracle: Oracle, pods: readonly CorpusPod[]): readonly PodAnswer[] {
  return oracle.pods(pods).map((answer, i) => {
    if ('error' in answer) throw new Error(`${pods[i]?.metadata?.name}: ${answer.error}`);
    return isTerminal(pods[i]?.status?.phase) ? nothing : answer;
  });
}

export function sumOf(answers: readonly PodAnswer[]): PodAnswer {
  const extended: Record<string, number> = {};
  for (const answer of answers) {
    for (const [resource, pieces] of Object.entries(answer.extended)) extended[resource] = (extended[resource] ?? 0) + pieces;
  }
  const total = (of: (answer: PodAnswer) => number): number => answers.reduce((sum, answer) => sum + of(answer), 0);
  return {
    cpuMillis: total(({ cpuMillis }) => cpuMillis),
    memoryBytes: total(({ memoryBytes }) => memoryBytes),
    ephemeralStorageBytes: total(({ ephemeralStorageBytes }) => ephemeralStorageBytes),
    extended,
  };
}
