import type { SqlParameters } from '../contract/sql-parameters.ts';
import { formatTimestamp } from '../language/literals.ts';
import type { Node } from '../language/node.ts';

/** Microseconds since 1970, of the start of the transaction where none are given. */
export function nowSql(now: bigint | undefined, parameters: SqlParameters): string {
  return now === undefined ? '(extract(epoch from now()) * 1000000)' : parameters.add(String(now), 'numeric');
}

/** A constant as a timestamptz, to stand beside a column; undefined for any other expression. */
export function momentSql(node: Node, now: bigint | undefined, parameters: SqlParameters): string | undefined {
  if (node.kind === 'literal') return parameters.add(formatTimestamp(node.value as bigint), 'timestamptz');
  const span = spanFromNow(node);
  if (span === undefined) return undefined;
  if (now !== undefined) return parameters.add(formatTimestamp(now + span), 'timestamptz');
  return span === 0n ? 'now()' : `now() + ${parameters.add(`${span} microseconds`, 'interval')}`;
}

/** A span that keeps `now` within the years of a timestamp, whatever it is. */
const maxSpan = 31_557_600_000_000_000n;

/** The constant of `now - duration('1h')`; undefined for any other expression. */
function spanFromNow(node: Node): bigint | undefined {
  if (node.kind === 'now') return 0n;
  if (node.kind !== 'arithmetic' || node.left.kind !== 'now' || node.right.kind !== 'literal' || typeof node.right.value !== 'bigint')
    return undefined;
  if (node.type.kind !== 'timestamp') return undefined;
  const span = node.operator === '+' ? node.right.value : -node.right.value;
  return span > maxSpan || span < -maxSpan ? undefined : span;
}
