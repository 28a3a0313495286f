import type { DescField, Message } from '@bufbuild/protobuf';
import { visibleField } from './check/field-names.ts';
import type { ColumnsOf } from './contract/columns-of.ts';
import type { Order, OrderOptions } from './contract/order.ts';
import type { SqlParameters } from './contract/sql-parameters.ts';
import { evaluator } from './evaluate/evaluator.ts';
import { FilterProblem, quoted, refusing } from './language/filter-problem.ts';
import { describeType, isWrapperField, typeOfField } from './language/filter-type.ts';
import type { NodeOf } from './language/node.ts';
import { foreignCursor, fromKey, type OrderColumn, orderColumn, toKey } from './sql/order-column.ts';

interface Term {
  readonly node: NodeOf<'field'>;
  readonly path: readonly string[];
  readonly isDescending: boolean;
}

const root = 'this';
const maxTerms = 8;
const maxTextLength = 1000;

/**
 * Reads `metadata.name desc, spec.rack`: paths of scalar fields, each with asc or desc, with commas between them. An empty text is the order of ids. What
 * follows an id is left out, since no two objects share one.
 */
export function compileOrder(text: string, options: OrderOptions): Order {
  const terms = refusing(options.field ?? 'order', () => parseTerms(text, options));
  return {
    text: terms.map(({ path, isDescending }) => `${path.join('.')}${isDescending ? ' desc' : ''}`).join(','),
    toSql: (columns) =>
      columnsOf(terms, columns)
        .map(({ sql }, i) => `${sql}${terms[i]?.isDescending === true ? ' desc' : ''}`)
        .join(', '),
    keyOf: (object) => terms.map(({ node }) => keyPart(node, object)),
    after: (key, columns, parameters) => afterSql(terms, key, columns, parameters),
  };
}

function parseTerms(text: string, options: OrderOptions): readonly Term[] {
  if (text.length > maxTextLength)
    throw new FilterProblem(undefined, `has ${text.length} characters, at most ${maxTextLength} are allowed`);
  const terms: Term[] = [];
  let at = 0;
  for (const part of text.trim() === '' ? [] : text.split(',')) {
    terms.push(parseTerm(part, at, options));
    at += part.length + 1;
    if (terms.at(-1)?.path.join('.') === 'id') return terms;
  }
  if (terms.length > maxTerms) throw new FilterProblem(undefined, `has ${terms.length} terms, at most ${maxTerms} are allowed`);
  return [...terms, parseTerm('id', 0, { message: options.message })];
}

function parseTerm(part: string, at: number, options: OrderOptions): Term {
  const [name, direction, ...more] = part.trim().split(/\s+/);
  const wanted = direction?.toLowerCase();
  if (name === undefined || name === '' || more.length > 0 || (wanted !== undefined && wanted !== 'asc' && wanted !== 'desc')) {
    throw new FilterProblem(at, `${quoted(part.trim())} is no term of an order: write a field, and asc or desc behind it`);
  }
  const path = (name.startsWith(`${root}.`) ? name.slice(root.length + 1) : name).split('.');
  return { node: fieldAt(path, at, options), path, isDescending: wanted === 'desc' };
}

function fieldAt(path: readonly string[], at: number, { message, hidden = () => false }: OrderOptions): NodeOf<'field'> {
  let node: NodeOf<'field' | 'root'> = { kind: 'root', type: { kind: 'message', message }, name: root };
  for (const [i, name] of path.entries()) {
    if (node.type.kind !== 'message') throw new FilterProblem(at, `a ${describeType(node.type)} has no field ${quoted(name)} to order by`);
    const field: DescField = visibleField(node.type.message, path.slice(0, i), name, hidden, at);
    node = { kind: 'field', type: typeOfField(field), base: node, field };
  }
  if (node.kind !== 'field' || ['message', 'list', 'map'].includes(node.type.kind) || isWrapperField(node.field)) {
    throw new FilterProblem(at, `${quoted(path.join('.'))} is a ${describeType(node.type)}: only single values have an order`);
  }
  return node;
}

function keyPart(node: NodeOf<'field'>, object: Message): string {
  const value = evaluator(node)({ roots: { [root]: object }, now: 0n, variables: [] });
  return value === undefined ? '' : toKey(value);
}

function columnsOf(terms: readonly Term[], columns: ColumnsOf): readonly OrderColumn[] {
  return terms.map(({ node }) => orderColumn(node, columns));
}

/** Rows behind the place: of one direction as a comparison of rows, which an index serves; mixed, term by term. */
function afterSql(terms: readonly Term[], key: readonly string[], columns: ColumnsOf, parameters: SqlParameters): string {
  if (key.length !== terms.length) throw foreignCursor();
  const sqls = columnsOf(terms, columns);
  const values = sqls.map((column, i) => parameters.add(fromKey(column, key[i] ?? ''), column.cast));
  const [first] = terms;
  if (terms.every(({ isDescending }) => isDescending === first?.isDescending)) {
    return `((${sqls.map(({ sql }) => sql).join(', ')}) ${first?.isDescending === true ? '<' : '>'} (${values.join(', ')}))`;
  }
  const behind = (i: number): string => {
    const [sql, value] = [sqls[i]?.sql ?? '', values[i] ?? ''];
    const strict = `${sql} ${terms[i]?.isDescending === true ? '<' : '>'} ${value}`;
    return i === terms.length - 1 ? strict : `(${strict} or (${sql} = ${value} and ${behind(i + 1)}))`;
  };
  // The first condition follows from the second, and is one that an index serves.
  return `(${sqls[0]?.sql} ${first?.isDescending === true ? '<=' : '>='} ${values[0]} and ${behind(0)})`;
}
