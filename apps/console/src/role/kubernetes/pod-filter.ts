import { parse } from '@marcbachmann/cel-js';
import { invalidFields } from '@quartermaster/kernel';
import { podKeys } from '../../filter/pod-keys.ts';
import { rowFilter } from '../../filter/row-filter.ts';
import { isExpression, parseTerms } from '../../filter/terms.ts';
import type { PodRow } from '../../kubernetes-view.ts';

/** A filter of pods as somebody typed it: what the API server can select by, and the rest. */
export interface PodFilter {
  readonly namespace?: string | undefined;
  readonly node?: string | undefined;
  readonly matches: (pod: PodRow) => boolean;
}

// Of the language's functions those whose cost is that of the text: macros nest, and patterns can be made to take for ever.
const allowedCalls = new Set(['contains', 'startsWith', 'endsWith', 'size', 'int', 'string']);

/** Throws `invalid_argument` for what makes no sense, or could keep the server busy. */
export function podFilter(typed: string): PodFilter {
  const { matches, problem } = rowFilter(typed, podKeys);
  if (problem !== undefined) throw refused(problem);
  if (!isExpression(typed)) return { ...selected(typed), matches };
  const costly = [...callsIn(parse(typed).ast)].find((name) => !allowedCalls.has(name));
  if (costly === undefined) return { matches };
  throw refused(`${costly}() cannot be used on pods. Use contains, startsWith, endsWith or size.`);
}

const refused = (description: string) => invalidFields([{ field: 'filter', description }]);

/** Whole values of these keys the API server selects by: it then reads less. */
function selected(typed: string): Pick<PodFilter, 'namespace' | 'node'> {
  const terms = parseTerms(
    typed,
    podKeys.map(({ name }) => name),
  );
  const whole = (key: string): string | undefined =>
    terms.find((term) => term.key === key && term.isWhole && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(term.text))?.text;
  return { namespace: whole('namespace'), node: whole('node') };
}

function* callsIn(part: unknown): Generator<string> {
  if (Array.isArray(part)) for (const each of part) yield* callsIn(each);
  if (typeof part !== 'object' || part === null || !('op' in part) || !('args' in part)) return;
  if ((part.op === 'call' || part.op === 'rcall') && Array.isArray(part.args)) yield String(part.args[0]);
  yield* callsIn(part.args);
}
