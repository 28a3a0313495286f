/** The back end in SQL. NULL is unknown. Conditions are without parentheses of their own. */
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { ColumnsOf, FieldColumn } from '../contract/columns-of.ts';
import type { SqlParameters } from '../contract/sql-parameters.ts';
import { maxInt, minInt } from '../language/bounds.ts';
import type { Node, NodeOf } from '../language/node.ts';
import { columnComparison, comparisonSql, likePattern, mirrored, verdictSql } from './sql-comparison.ts';
import {
  columnPresence,
  columnValue,
  type Document,
  jsonAt,
  type Location,
  pathFromRoot,
  scalarField,
  textAt,
  whenSure,
} from './sql-location.ts';
import { memberCondition } from './sql-members.ts';
import { momentSql, nowSql } from './sql-moment.ts';
import { arithmeticSql, conversionSql, formOf, fromText, literalSql, type Share, sqlOperator } from './sql-scalars.ts';

/** Shorter operands are repeated; longer ones get a name, and so no statement grows beyond a multiple of its expression. */
const maxRepeatedLength = 200;

export class SqlWriter {
  readonly #columns: ColumnsOf;
  readonly #parameters: SqlParameters;
  /** Microseconds since 1970; undefined for the start of the transaction. */
  readonly #now: bigint | undefined;
  /** Numbers of quantifiers -> where their items are. */
  readonly #items = new Map<number, Location>();
  #names = 0;

  constructor(columns: ColumnsOf, parameters: SqlParameters, now: bigint | undefined) {
    this.#columns = columns;
    this.#parameters = parameters;
    this.#now = now;
  }

  /** `isFinal` where unknown and false come to the same. */
  condition(node: Node, isFinal = false): string {
    switch (node.kind) {
      case 'not':
        return this.#negation(node.of);
      case 'and':
      case 'or':
        return node.parts.map((part) => `(${this.condition(part, isFinal)})`).join(` ${node.kind} `);
      case 'compare':
        return (isFinal ? this.#entryComparison(node) : undefined) ?? this.#comparison(node);
      case 'has':
        return this.#presence(node);
      case 'hasKey':
        return this.#hasKey(node);
      case 'includes':
        return this.#includes(node);
      case 'oneOf':
        return this.#oneOf(node);
      case 'textTest':
        return this.#textTest(node);
      case 'matches':
        return `${this.#value(node.subject)} ~ ${this.#parameters.addPattern(node.pattern.postgres)}`;
      case 'quantifier':
        return this.#quantifier(node);
      default:
        return this.#value(node);
    }
  }

  /** The value of a field, in the form of its type. */
  field(node: NodeOf<'field'>): string {
    return this.#operand(node);
  }

  #negation(of: Node): string {
    const test = this.condition(of);
    // The shape that partial indexes have.
    return of.kind === 'has' && /^[^ ]+ is not null$/.test(test) ? test.replace(/is not null$/, 'is null') : `not (${test})`;
  }

  #value(node: Node): string {
    switch (node.kind) {
      case 'literal':
        return literalSql(node.type, node.value, this.#parameters);
      case 'unknown':
        return `null::${formOf(node.type)}`;
      case 'now':
        return nowSql(this.#now, this.#parameters);
      case 'field':
      case 'item':
      case 'entry':
      case 'variable':
        return this.#located(node);
      case 'conditional':
        return `case ${operand(this.condition(node.condition))} when true then ${this.#value(node.chosen)} when false then ${this.#value(node.otherwise)} end`;
      case 'arithmetic':
        return arithmeticSql(node.operator, node.type.kind, this.#operand(node.left), this.#operand(node.right), this.#share);
      case 'concatenation':
        return `(${this.#operand(node.left)} || ${this.#operand(node.right)})`;
      case 'size':
        return this.#size(node);
      case 'conversion':
        return conversionSql(node.of.type.kind, node.type.kind, this.#operand(node.of), this.#share);
      default:
        return this.condition(node);
    }
  }

  #operand(node: Node): string {
    return operand(this.#value(node));
  }

  readonly #share: Share = (operands, use) => {
    if (operands.every(({ length }) => length <= maxRepeatedLength)) return `(${use(...operands.map(operand))})`;
    this.#names += 1;
    const name = `shared${this.#names}`;
    const columns = operands.map((each, i) => `${each} as v${i}`).join(', ');
    // OFFSET 0 keeps the planner from putting the operands back.
    return `(select ${use(...operands.map((_, i) => `${name}.v${i}`))} from (select ${columns} offset 0) ${name})`;
  };

  #locate(node: Node): Location {
    switch (node.kind) {
      case 'root':
        return { kind: 'document', json: this.#columns.json, path: [], isSure: true, fromRoot: [] };
      case 'field':
        return this.#locateField(node);
      case 'item':
        return element(`(${jsonAt(this.#document(node.list))} -> ${this.#position(node.index)})`);
      case 'entry':
        return element(`(${jsonAt(this.#document(node.map))} -> ${this.#keyText(node.key)})`);
      default:
        return (node.kind === 'variable' ? this.#items.get(node.number) : undefined) ?? { kind: 'value', sql: this.#value(node) };
    }
  }

  #locateField({ base, field }: NodeOf<'field'>): Location {
    const { json, path, isSure, fromRoot: above } = this.#document(base);
    const fromRoot = above && [...above, field.name];
    const column = fromRoot && this.#columns.column(fromRoot);
    if (column === undefined) return { kind: 'document', json, path: [...path, field.name], isSure, fromRoot };
    if (column.form !== 'jsonb') return { kind: 'column', column };
    const whole = column.isNullable === true ? `coalesce(${column.sql}, '${field.fieldKind === 'list' ? '[]' : '{}'}'::jsonb)` : column.sql;
    return { kind: 'document', json: whole, path: [], isSure, fromRoot };
  }

  /** Of a message, a list or a map. */
  #document(node: Node): Document {
    const location = this.#locate(node);
    if (location.kind === 'document') return location;
    return element(`to_jsonb(${location.kind === 'column' ? location.column.sql : location.sql})`);
  }

  /** Adds no parameters, unlike #locate. */
  #column(node: Node): FieldColumn | undefined {
    const path = pathFromRoot(node);
    return path && this.#columns.column(path);
  }

  #located(node: NodeOf<'field' | 'item' | 'entry' | 'variable'>): string {
    const location = this.#locate(node);
    if (location.kind === 'value') return location.sql;
    if (location.kind === 'column') return columnValue(location.column, node.type);
    return node.kind === 'field' ? scalarField(location, node, this.#share) : fromText(node.type, textAt(location));
  }

  #position(index: Node): string {
    if (index.kind === 'literal') {
      const position = index.value as bigint;
      return position >= 0n && position <= 0x7fff_ffffn ? this.#parameters.add(String(position), 'int') : 'null::int';
    }
    return this.#share([this.#value(index)], (i) => `case when ${i} between 0 and 2147483647 then ${i}::int end`);
  }

  #keyText(key: Node): string {
    return key.type.kind === 'string' ? this.#operand(key) : `(${this.#value(key)})::text`;
  }

  #comparison(node: NodeOf<'compare'>): string {
    const { operator, domain, left, right } = node;
    const direct = this.#indexed(node) ?? this.#indexed({ ...node, operator: mirrored(operator), left: right, right: left });
    return direct ?? comparisonSql(operator, domain, this.#operand(left), this.#operand(right), this.#share);
  }

  /** A column on the left beside a constant on the right, in a form that an index serves. */
  #indexed({ operator, domain, left, right }: NodeOf<'compare'>): string | undefined {
    const column = this.#column(left);
    if (column === undefined) return undefined;
    if (column.form !== 'timestamptz') {
      return right.kind === 'literal' ? columnComparison(operator, domain, column, right.value, this.#parameters) : undefined;
    }
    const moment = momentSql(right, this.#now, this.#parameters);
    const time = column.isNullable === true ? `coalesce(${column.sql}, timestamptz 'epoch')` : column.sql;
    return moment && `${time} ${sqlOperator(operator)} ${moment}`;
  }

  /** `labels['k'] == 'v'` as containment, which an inverted index serves. It is false for a missing key, where the comparison is unknown. */
  #entryComparison({ operator, domain, left, right }: NodeOf<'compare'>): string | undefined {
    if (operator !== '==' || domain !== 'string' || left.kind !== 'entry' || left.key.kind !== 'literal' || right.kind !== 'literal')
      return undefined;
    const column = this.#column(left.map);
    if (column?.form !== 'jsonb') return undefined;
    return `${column.sql} @> ${this.#parameters.add(JSON.stringify({ [String(left.key.value)]: right.value }), 'jsonb')}`;
  }

  #presence(node: NodeOf<'has'>): string {
    const { base, field } = node;
    const above = this.#document(base);
    const fromRoot = above.fromRoot && [...above.fromRoot, field.name];
    const column = fromRoot && this.#columns.column(fromRoot);
    const hasPresence = field.presence !== FeatureSet_FieldPresence.IMPLICIT;
    const told = (column && columnPresence(column, hasPresence)) ?? (fromRoot && this.#columns.present?.(fromRoot));
    if (told !== undefined) return told;
    return whenSure(above, this.#share, ({ json, path }) => `(${json} #> '{${[...path, field.name].join(',')}}') is not null`);
  }

  #hasKey({ map, key }: NodeOf<'hasKey'>): string {
    const test = (at: Document): string => `coalesce(${jsonAt(at)}, '{}'::jsonb) ? ${this.#keyText(key)}`;
    const document = this.#document(map);
    if (document.path.length === 0 && document.isSure && document.fromRoot !== undefined) return `${document.json} ? ${this.#keyText(key)}`;
    return whenSure(document, this.#share, test);
  }

  #includes({ list, item }: NodeOf<'includes'>): string {
    const column = this.#column(list);
    if (column?.form !== 'text[]') {
      return whenSure(this.#document(list), this.#share, (at) => `coalesce(${jsonAt(at)}, '[]'::jsonb) @> to_jsonb(${this.#value(item)})`);
    }
    if (item.kind === 'literal') return `${column.sql} @> array[${this.#value(item)}]`;
    return this.#share([this.#value(item)], (value) => `case when ${value} is not null then ${value} = any(${column.sql}) end`);
  }

  #oneOf({ of, domain, values }: NodeOf<'oneOf'>): string {
    const column = this.#column(of);
    const texts = values.map(String);
    if (domain === 'string') return `${this.#operand(of)} = any(${this.#parameters.add(texts, 'text[]')})`;
    if (
      column?.form === 'bigint' &&
      column.isNullable !== true &&
      values.every((value) => (value as bigint) >= minInt && (value as bigint) <= maxInt)
    ) {
      return `${column.sql} = any(${this.#parameters.add(texts, 'bigint[]')})`;
    }
    return `${this.#operand(of)} = any(${this.#parameters.add(texts, 'numeric[]')})`;
  }

  #textTest({ test, subject, argument }: NodeOf<'textTest'>): string {
    const text = this.#operand(subject);
    if (argument.kind === 'literal') return `${text} like ${this.#parameters.addPattern(likePattern(test, argument.value as string))}`;
    const part = this.#operand(argument);
    if (test === 'contains') return `strpos(${text}, ${part}) > 0`;
    return test === 'startsWith'
      ? `starts_with(${text}, ${part})`
      : this.#share([part], (end) => `right(${text}, char_length(${end})) = ${end}`);
  }

  #size({ of }: NodeOf<'size'>): string {
    if (of.type.kind === 'string') return `char_length(${this.#value(of)})::numeric`;
    if (of.type.kind === 'bytes') return `octet_length(${this.#value(of)})::numeric`;
    const column = this.#column(of);
    if (column?.form === 'text[]') return `cardinality(${column.sql})::numeric`;
    const { kind } = of.type;
    return whenSure(this.#document(of), this.#share, (at) =>
      kind === 'list'
        ? `jsonb_array_length(coalesce(${jsonAt(at)}, '[]'::jsonb))::numeric`
        : `(select count(*) from jsonb_object_keys(coalesce(${jsonAt(at)}, '{}'::jsonb)))::numeric`,
    );
  }

  #quantifier(node: NodeOf<'quantifier'>): string {
    const member = memberCondition(node, this.#columns, this.#parameters);
    if (member !== undefined) return member;
    const { quantifier, range, number, body } = node;
    const item = `item${number}.v`;
    const over = (rows: string, at: Location): string => {
      this.#items.set(number, at);
      const results = `(select (${this.condition(body)}) as r from ${rows} as item${number}(v) offset 0) results${number}`;
      return verdictSql(quantifier, results, `results${number}.r`);
    };
    const column = this.#column(range);
    if (column?.form === 'text[]') return over(`unnest(${column.sql})`, { kind: 'value', sql: item });
    const { type } = range;
    return whenSure(this.#document(range), this.#share, (at) =>
      type.kind === 'map'
        ? over(`jsonb_object_keys(coalesce(${jsonAt(at)}, '{}'::jsonb))`, { kind: 'value', sql: fromText(type.key, item) })
        : over(`jsonb_array_elements(coalesce(${jsonAt(at)}, '[]'::jsonb))`, { ...element(item), isSure: true }),
    );
  }
}

/** An item or an entry: NULL is unknown. */
function element(json: string): Document {
  return { kind: 'document', json, path: [], isSure: false, fromRoot: undefined };
}

/** Safe beside any operator. */
function operand(sql: string): string {
  return /^[\w.$:]+$|^\([^()]*\)$/.test(sql) ? sql : `(${sql})`;
}
