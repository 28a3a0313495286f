import type { TermKey } from '../filter/complete-terms.ts';
import { isExpression, parseTerms, unknownKeyHint } from '../filter/terms.ts';
import type { PodsAsked } from './use-pods.ts';

export const podPhases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

/** What the filter of pods can ask for, beside words. */
export const podTermKeys: readonly TermKey[] = [
  { name: 'phase', note: 'where it is in its life', values: () => podPhases.map((insert) => ({ insert })) },
  { name: 'node', note: 'where it is placed' },
];

const keys = podTermKeys.map(({ name }) => name);

/** What to ask of the server: it has the pods, and takes words, one phase and one node. */
export function podQuery(typed: string): Pick<PodsAsked, 'search' | 'phase' | 'node'> {
  const terms = parseTerms(typed, keys);
  const of = (key: string | undefined): readonly string[] =>
    terms.filter((term) => term.key === key && term.text !== '').map(({ text }) => text);
  const phase = of('phase').at(-1)?.toLowerCase();
  return {
    search: of(undefined).join(' '),
    phase: phase && (podPhases.find((each) => each.toLowerCase().startsWith(phase)) ?? phase),
    node: of('node').at(-1),
  };
}

/** What to say about a filter that asks for what pods do not have. */
export const podHint = (typed: string): string | undefined =>
  isExpression(typed) ? 'Pods are filtered by words, phase: and node:. Expressions are searched for as text.' : unknownKeyHint(typed, keys);
