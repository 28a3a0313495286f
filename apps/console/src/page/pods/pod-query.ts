import type { PodQuery } from '../../console-source.ts';
import type { TermKey } from '../filter/complete-terms.ts';
import { isExpression, parseTerms, unknownKeyHint } from '../filter/terms.ts';

const phases = ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'];

/** What the filter of pods can ask for, beside words. */
export const podTermKeys: readonly TermKey[] = [
  { name: 'phase', note: 'where it is in its life', values: () => phases.map((insert) => ({ insert })) },
  { name: 'node', note: 'where it is placed' },
];

const keys = podTermKeys.map(({ name }) => name);

/** What to ask of the server: it has the pods, and takes words, one phase and one node. */
export function podQuery(typed: string): Pick<PodQuery, 'text' | 'phase' | 'node'> {
  const terms = parseTerms(typed, keys);
  const of = (key: string | undefined): readonly string[] =>
    terms.filter((term) => term.key === key && term.text !== '').map(({ text }) => text);
  const phase = of('phase').at(-1)?.toLowerCase();
  return {
    text: of(undefined).join(' '),
    phase: phase && (phases.find((each) => each.toLowerCase().startsWith(phase)) ?? phase),
    node: of('node').at(-1),
  };
}

/** What to say about a filter that asks for what pods do not have. */
export const podHint = (typed: string): string | undefined =>
  isExpression(typed) ? 'Pods are filtered by words, phase: and node:. Expressions are searched for as text.' : unknownKeyHint(typed, keys);
