import { ScalarType } from '@bufbuild/protobuf';
import type { ColumnsOf } from '../contract/columns-of.ts';
import type { SqlParameters } from '../contract/sql-parameters.ts';
import type { Node, NodeOf, TextTest } from '../language/node.ts';
import { likePattern } from './sql-comparison.ts';
import { pathFromRoot } from './sql-location.ts';

/**
 * `nics.exists(n, n.mac == 'x')` asked of a column that holds that field of every item, `nics.*.mac`, so that an index serves it; with `contains` and its like the document at
 * least need not be read. The column leaves out empty texts, so the text that is looked for must not be one. Undefined where the condition is another one.
 */
export function memberCondition(node: NodeOf<'quantifier'>, columns: ColumnsOf, parameters: SqlParameters): string | undefined {
  const path = node.quantifier === 'exists' ? pathFromRoot(node.range) : undefined;
  const test = path && testOf(node);
  const column = path && test && columns.column([...path, '*', test.field]);
  if (test === undefined || column?.form !== 'text[]' || column.isNullable === true) return undefined;
  if (test.kind === 'equals') return `${column.sql} @> array[${parameters.add(test.text, 'text')}]`;
  const pattern = parameters.add(likePattern(test.kind, test.text), 'text');
  return `exists (select from unnest(${column.sql}) as member(v) where member.v like ${pattern})`;
}

interface MemberTest {
  readonly field: string;
  readonly kind: 'equals' | TextTest;
  readonly text: string;
}

function testOf({ body, number }: NodeOf<'quantifier'>): MemberTest | undefined {
  if (body.kind === 'textTest') return madeOf(body.test, body.subject, body.argument, number);
  if (body.kind !== 'compare' || body.operator !== '==' || body.domain !== 'string') return undefined;
  return madeOf('equals', body.left, body.right, number) ?? madeOf('equals', body.right, body.left, number);
}

function madeOf(kind: MemberTest['kind'], subject: Node, argument: Node, number: number): MemberTest | undefined {
  if (subject.kind !== 'field' || subject.base.kind !== 'variable' || subject.base.number !== number) return undefined;
  const { field } = subject;
  const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING;
  if (!isText || argument.kind !== 'literal' || typeof argument.value !== 'string' || argument.value === '') return undefined;
  return { field: field.name, kind, text: argument.value };
}
